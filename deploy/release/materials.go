package main

import (
	"bytes"
	"debug/buildinfo"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// materials writes the bill of materials of a binary, in CycloneDX's JSON: the modules
// that Go noted in it, and the Go that built it.
func (r *release) materials(name, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.made.UTC().Format(time.RFC3339),
		Component: &cyclonedx.Component{Type: cyclonedx.ComponentTypeApplication, Name: "tracecheck", Version: r.version, BOMRef: "tracecheck"},
	}
	parts := []cyclonedx.Component{module("std", info.GoVersion)}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		parts = append(parts, module(dep.Path, dep.Version))
	}
	bom.Components = &parts
	var refs []string
	for _, part := range parts {
		refs = append(refs, part.BOMRef)
	}
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: "tracecheck", Dependencies: &refs}}
	var b bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return r.write(name+".cdx.json", b.Bytes())
}

func module(path, version string) cyclonedx.Component {
	purl := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: purl, BOMRef: purl}
}
