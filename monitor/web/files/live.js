// Keeps a page live. When the server reports a change, the page is fetched again, and
// its differences are applied. Without this script, the page stays as loaded.
(() => {
  'use strict';
  const body = document.body, live = document.getElementById('live');
  const source = () => body.dataset.live || location.href;
  const pointer = matchMedia('(hover: hover)');
  const silence = 40000; // ms without a message after which the connection counts as dead

  // Ages use the server's clock, not this machine's.
  let skew = Date.parse(body.dataset.now) - Date.now();
  function span(ms) {
    const s = Math.floor(ms / 1000), m = Math.floor(s / 60), h = Math.floor(m / 60), d = Math.floor(h / 24);
    if (m < 1) return s + 's';
    if (h < 1) return m + 'm ' + s % 60 + 's';
    if (d < 1) return h + 'h ' + m % 60 + 'm';
    return d + 'd ' + h % 24 + 'h';
  }
  function ago(ms) {
    if (ms <= -1000) return 'in ' + span(-ms);
    return ms < 1000 ? 'now' : span(ms) + ' ago';
  }
  function say(node, text) { if (node.textContent !== text) node.textContent = text; }
  function tick() {
    const now = Date.now() + skew;
    for (const t of document.getElementsByTagName('time')) say(t, ago(now - Date.parse(t.dateTime)));
    if (lostAt) tell();
  }

  // morph makes a node equal to another with few changes: the focus, the selection
  // and unfolded elements stay.
  function key(n) { return n.nodeType === 1 ? n.dataset.key || n.id : ''; }
  function morph(have, want) {
    if (have.nodeType !== 1) {
      if (have.data !== want.data) have.data = want.data;
      return;
    }
    for (const { name, value } of want.attributes) if (have.getAttribute(name) !== value) have.setAttribute(name, value);
    for (const { name } of [...have.attributes]) if (name !== 'open' && !want.hasAttribute(name)) have.removeAttribute(name);
    const keyed = new Map();
    for (const c of have.children) if (key(c)) keyed.set(key(c), c);
    let at = have.firstChild;
    for (const next of [...want.childNodes]) {
      const k = key(next), old = k ? keyed.get(k) : at;
      if (!old || old.nodeName !== next.nodeName || key(old) !== k) {
        have.insertBefore(next, at);
        continue;
      }
      keyed.delete(k);
      if (old === at) at = at.nextSibling;
      else have.insertBefore(old, at);
      morph(old, next);
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  }
  function swap(page) {
    if (page.body.dataset.script !== body.dataset.script) { // the server has another version
      location.reload();
      return;
    }
    const focused = document.activeElement;
    skew = Date.parse(page.body.dataset.now) - Date.now();
    const parts = body.dataset.live ? [] : [...document.querySelectorAll('[data-swap]')];
    for (const have of parts) {
      const want = page.getElementById(have.id);
      const held = have.dataset.swap === 'calm' && pointer.matches && have.matches(':hover'); // nothing moves under the pointer
      if (want && !held) morph(have, want);
    }
    if (!body.dataset.live) document.title = page.title;
    const pill = document.getElementById('pill');
    if (pill) {
      pill.className = page.body.dataset.class;
      say(pill, page.body.dataset.banner);
    }
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
    tick();
  }

  let busy = false, again = false, lostAt = 0, events = null, retry = 0, watch = 0;
  async function look() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      do {
        again = false;
        const r = await fetch(source(), { cache: 'no-store' });
        if (r.status === 404) { // another monitor has the stream now
          location.reload();
          return;
        }
        if (!r.ok) throw new Error('status ' + r.status);
        swap(new DOMParser().parseFromString(await r.text(), 'text/html'));
      } while (again);
      lostAt = 0;
      tell();
    } catch { lost(); } finally { busy = false; }
  }
  function lost() {
    lostAt = lostAt || Date.now();
    tell();
  }
  function tell() {
    body.classList.toggle('lost', lostAt > 0);
    live.className = lostAt ? 'bad' : 'good';
    say(live, lostAt ? '○ no connection for ' + span(Date.now() - lostAt) + ': this page is outdated' : '● live');
  }

  function close() {
    clearTimeout(retry);
    clearTimeout(watch);
    if (events) events.close();
    events = null;
  }
  function open(wait) {
    close();
    retry = setTimeout(() => {
      events = new EventSource('events');
      expect();
      events.onmessage = () => { expect(); look(); };
      events.onerror = () => {
        lost();
        if (events && events.readyState === EventSource.CLOSED) open(5000);
      };
    }, wait);
  }
  function expect() {
    clearTimeout(watch);
    watch = setTimeout(() => { lost(); open(0); }, silence);
  }
  // A hidden page requests nothing: a browser opens few connections to one server.
  function seen() { if (document.hidden) close(); else open(0); }
  document.addEventListener('visibilitychange', seen);
  addEventListener('pagehide', close);
  addEventListener('pageshow', (ev) => { if (ev.persisted) seen(); });
  setInterval(tick, 1000);
  seen();
})();
