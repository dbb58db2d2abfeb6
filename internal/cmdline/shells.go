package cmdline

func ShellNames() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// CompletionScript is the script for a shell, "" for one that is not known.
func CompletionScript(shell string) string {
	switch shell {
	case "bash":
		return bashScript
	case "zsh":
		return zshScript
	case "fish":
		return fishScript
	case "powershell":
		return powershellScript
	}
	return ""
}

const bashScript = `# bash completion of tracecheck
_tracecheck() {
	local cur="${COMP_WORDS[COMP_CWORD]}" candidates
	[ "$cur" = "=" ] && cur=""
	candidates=$("${COMP_WORDS[@]:0:COMP_CWORD}" "$cur" ` + completionFlag + ` 2>/dev/null)
	COMPREPLY=($(compgen -W "$candidates" -- "$cur"))
}
complete -o bashdefault -o default -F _tracecheck tracecheck
`

const zshScript = `#compdef tracecheck
_tracecheck() {
	local -a candidates
	candidates=("${(@f)$("${(@Q)words[1,CURRENT-1]}" "${(Q)words[CURRENT]}" ` + completionFlag + ` 2>/dev/null)}")
	if [[ -n "$candidates[1]" ]]; then
		compadd -- "${candidates[@]}"
	else
		_files
	fi
}
if [ "$funcstack[1]" = "_tracecheck" ]; then
	_tracecheck "$@"
else
	compdef _tracecheck tracecheck
fi
`

const fishScript = `# fish completion of tracecheck
function __tracecheck_complete
	set -l before (commandline -opc)
	set -l cur (commandline -ct)
	set -l candidates ($before "$cur" ` + completionFlag + ` 2>/dev/null)
	if set -q candidates[1]
		printf '%s\n' $candidates
	else
		__fish_complete_path "$cur"
	end
end
complete -c tracecheck -f -a '(__tracecheck_complete)'
`

const powershellScript = `# PowerShell completion of tracecheck
Register-ArgumentCompleter -Native -CommandName tracecheck -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	$before = @($commandAst.CommandElements |
		Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
		ForEach-Object { $_.ToString() })
	$rest = @($before | Select-Object -Skip 1)
	# Before 7.3, PowerShell drops an empty argument unless it is quoted.
	$kept = $PSNativeCommandArgumentPassing -in 'Standard', 'Windows'
	$cur = if ($wordToComplete -or $kept) { $wordToComplete } else { '""' }
	& $before[0] @rest $cur ` + completionFlag + ` 2>$null | ForEach-Object {
		[System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
	}
}
`
