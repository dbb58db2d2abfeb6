(function () {
  'use strict';
  var data = JSON.parse(document.getElementById('timeline-data').textContent);
  var STRIDE = 7, ROW = 24, N = 0, T = 1, LINE = 2, OP = 3, STATUS = 4, ACTOR = 5, ABOUT = 6;
  var ends = ['complete', 'shutdown', 'failed', 'rejected', 'orphaned', 'success', 'failure', 'rolledback', 'down'];
  function el(id) { return document.getElementById(id); }
  var root = el('timeline'), frame = el('tl-frame'), space = el('tl-space'), canvas = el('tl-lanes'), overview = el('tl-overview');
  var detail = el('tl-detail'), tip = el('tl-tip'), range = el('tl-range');
  var show = el('tl-show'), scale = el('tl-scale'), find = el('tl-find');
  root.hidden = false;

  var marks = data.violations.map(function (v) { return v.n; });
  var lanes = [], from = 0, to = 1, selected = null, nextViolation = 0, pending = false;
  var watched = data.lanes.some(function (l) { return l.watched; });
  if (!watched || data.partial) {
    show.value = watched ? 'watched' : 'all';
    show.parentNode.hidden = true;
  }
  if (!data.timed) scale.parentNode.hidden = true;

  // Colours: one hue for each status and for each actor. None is used alone: a
  // status has its name, an actor its initials.
  var hues = {}, actors = {}, initials = {};
  data.lanes.forEach(function (l) {
    for (var i = 0; i < l.rows.length; i += STRIDE) {
      var s = l.rows[i + STATUS], a = Math.abs(l.rows[i + ACTOR]);
      if (s && hues[s] === undefined) hues[s] = (Object.keys(hues).length * 47 + 205) % 360;
      if (a && actors[a] === undefined) {
        actors[a] = (Object.keys(actors).length * 67 + 20) % 360;
        initials[a] = letterOf(data.texts[a]);
      }
    }
  });
  function letterOf(name) {
    for (var n = 1; n <= name.length; n++) {
      var short = name.slice(0, n).toUpperCase();
      if (!Object.keys(initials).some(function (k) { return initials[k] === short; })) return short;
    }
    return name.toUpperCase();
  }
  Object.keys(actors).forEach(function (a) {
    var li = document.createElement('li'), b = document.createElement('b');
    b.textContent = initials[a];
    b.style.background = actorColor(a);
    li.append(b, data.texts[a]);
    el('tl-legend').append(li);
  });
  function actorColor(a) { return 'hsl(' + actors[a] + ' 65% 35%)'; }

  var theme = {};
  function readTheme() {
    var style = getComputedStyle(document.documentElement);
    ['card', 'text', 'soft', 'line', 'band', 'bad', 'accent'].forEach(function (k) { theme[k] = style.getPropertyValue('--' + k).trim(); });
    theme.dark = matchMedia('(prefers-color-scheme: dark)').matches;
  }
  function statusColor(s) { return theme.dark ? 'hsl(' + hues[s] + ' 35% 32%)' : 'hsl(' + hues[s] + ' 60% 82%)'; }

  // The domain is the events' numbers, or ms.
  function at(l, i) { return l.rows[i + (scale.value === 't' ? T : N)]; }
  var timeOf = [];
  data.lanes.forEach(function (l) { for (var i = 0; i < l.rows.length; i += STRIDE) timeOf[l.rows[i + N]] = l.rows[i + T]; });
  var lastTime = timeOf.reduce(function (a, b) { return Math.max(a, b || 0); }, 0);
  function end() { return Math.max(1, scale.value === 't' ? lastTime : data.events - 1); }
  function placeOf(n) { return scale.value === 't' ? timeOf[n] || 0 : n; }
  function view(a, b) {
    var all = end(), least = Math.min(all, scale.value === 't' ? 20 : 4), size = Math.min(Math.max(b - a, least), all * 1.04);
    var mid = (a + b) / 2, pad = all * 0.02;
    from = Math.max(-pad, Math.min(mid - size / 2, all + pad - size));
    to = from + size;
    redraw();
  }
  function fit() { var pad = end() * 0.02; view(-pad, end() + pad); }
  function zoom(factor, middle) {
    if (middle === undefined) middle = (from + to) / 2;
    view(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }

  function fileOf(n) {
    var name = '';
    data.files.forEach(function (f) { if (f.first <= n) name = f.name; });
    return name;
  }
  function clock(ms) { return new Date(data.began + ms).toISOString().slice(11, 23); }
  function name(l) { return l.kind + ' ' + l.id; }
  function describe(l, i) {
    var r = l.rows, actor = r[i + ACTOR], n = r[i + N];
    var text = fileOf(n) + r[i + LINE] + (data.timed ? '  ' + clock(r[i + T]) : '') + '  ' + data.texts[r[i + OP]] + ' ' + name(l);
    if (l.stream) text += ' of stream ' + l.stream;
    text += r[i + STATUS] ? ', now ' + data.texts[r[i + STATUS]] : ', now gone';
    if (actor) text += ', by ' + data.texts[Math.abs(actor)] + (actor > 0 ? ' (as it says)' : ' (to whom the text permits it)');
    if (r[i + ABOUT]) text += '. ' + data.texts[r[i + ABOUT]];
    data.violations.forEach(function (v) { if (v.n === n) text += '. ✗ VIOLATION ' + v.label; });
    return text;
  }

  function choose() {
    var wanted = find.value.trim().toLowerCase();
    lanes = data.lanes.filter(function (l) {
      return (show.value === 'all' || l.watched) && (!wanted || (name(l) + ' ' + (l.group || '') + ' ' + (l.stream || '')).toLowerCase().indexOf(wanted) >= 0);
    });
    selected = null;
    frame.scrollTop = 0;
    redraw();
  }
  function redraw() {
    if (!pending) { pending = true; requestAnimationFrame(draw); }
  }
  function size(c, w, h) {
    var ratio = window.devicePixelRatio || 1;
    if (c.width !== Math.round(w * ratio) || c.height !== Math.round(h * ratio)) {
      c.width = Math.round(w * ratio);
      c.height = Math.round(h * ratio);
      c.style.height = h + 'px';
    }
    var g = c.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = '12px system-ui, sans-serif';
    g.textBaseline = 'middle';
    return g;
  }
  function labelWidth(w) { return Math.max(84, Math.min(230, w * 0.27)); }
  function x(p, w) { var left = labelWidth(w); return left + (p - from) / (to - from) * (w - left); }
  // first is the place of the lane's first row that is after p.
  function first(l, p) {
    var a = 0, b = l.rows.length / STRIDE;
    while (a < b) { var m = (a + b) >> 1; if (at(l, m * STRIDE) <= p) a = m + 1; else b = m; }
    return a * STRIDE;
  }
  function clipped(g, text, px, y, width) {
    if (width < 14) return;
    if (g.measureText(text).width > width) {
      while (text.length > 1 && g.measureText(text + '…').width > width) text = text.slice(0, -1);
      text += '…';
    }
    g.fillText(text, px, y);
  }

  // labelOf keeps the beginning of each id where there is little room.
  function labelOf(l, room) {
    var keep = room < 150 ? 4 : 40;
    function short(s) { return s.length > keep + 1 ? s.slice(0, keep) + '…' : s; }
    if (l.kind !== 'task' || !l.group) return l.kind + ' ' + short(l.id);
    var cut = l.group.lastIndexOf(' / ');
    return short(l.group.slice(0, cut)) + ' / ' + short(l.group.slice(cut + 3)) + '  ' + short(l.id);
  }

  function drawLane(g, l, y, w) {
    var left = labelWidth(w), label = left - 8;
    g.fillStyle = theme.text;
    clipped(g, labelOf(l, label), 4, y + ROW / 2, label);
    var i = Math.max(0, first(l, from) - STRIDE), stop = l.rows.length, lastMark = -1e9;
    for (; i < stop && at(l, i) <= to; i += STRIDE) {
      var begun = i, status = l.rows[i + STATUS];
      while (i + STRIDE < stop && l.rows[i + STRIDE + STATUS] === status) i += STRIDE;
      var next = i + STRIDE < stop ? at(l, i + STRIDE) : to, a = Math.max(left, x(at(l, begun), w)), b = Math.min(w, x(next, w));
      if (status && b > a) {
        var thin = ends.indexOf(data.texts[status]) >= 0;
        g.fillStyle = statusColor(status);
        g.fillRect(a, y + (thin ? 8 : 3), Math.max(b - a, 1), thin ? ROW - 16 : ROW - 6);
        if (b - a > 26) { g.fillStyle = theme.text; var by = Math.abs(l.rows[begun + ACTOR]), gap = by ? g.measureText(initials[by]).width + 6 : 5; clipped(g, data.texts[status], a + gap, y + ROW / 2, b - a - gap - 2); }
      }
    }
    i = Math.max(0, first(l, from - 1e-9));
    for (; i < stop && at(l, i) <= to; i += STRIDE) {
      var px = x(at(l, i), w), actor = Math.abs(l.rows[i + ACTOR]);
      if (px < left || px - lastMark < 1.5) continue;
      g.fillStyle = actor ? actorColor(actor) : theme.soft;
      g.fillRect(px - 1, y + 2, 2, ROW - 4);
      if (actor && px - lastMark > 16) {
        var letter = initials[actor], wide = g.measureText(letter).width + 4;
        g.fillRect(px - 1, y + 1, wide, 12);
        g.fillStyle = '#fff';
        g.font = '10px system-ui, sans-serif';
        g.fillText(letter, px + 1, y + 7.5);
        g.font = '12px system-ui, sans-serif';
      }
      lastMark = px;
    }
  }

  function draw() {
    pending = false;
    readTheme();
    var w = frame.clientWidth, tall = Math.max(ROW, Math.min(lanes.length * ROW, Math.round(innerHeight * 0.58)));
    space.style.height = Math.max(ROW, lanes.length * ROW) + 'px';
    var g = size(canvas, w, tall), top = frame.scrollTop, left = labelWidth(w);
    for (var k = Math.floor(top / ROW); k < lanes.length && k * ROW - top < tall; k++) {
      var y = k * ROW - top;
      if (k % 2) { g.fillStyle = theme.band; g.fillRect(0, y, w, ROW); }
      drawLane(g, lanes[k], y, w);
      if (selected && selected.lane === lanes[k]) {
        var sx = x(at(lanes[k], selected.i), w);
        g.strokeStyle = theme.accent;
        g.lineWidth = 2;
        g.strokeRect(Math.max(left, sx) - 4, y + 1, 9, ROW - 2);
      }
    }
    if (!lanes.length) { g.fillStyle = theme.soft; g.fillText('No such object.', 6, ROW / 2); }
    g.strokeStyle = theme.line;
    g.lineWidth = 1;
    g.beginPath(); g.moveTo(left - 3, 0); g.lineTo(left - 3, tall); g.stroke();
    g.strokeStyle = g.fillStyle = theme.bad;
    g.setLineDash([5, 3]);
    g.lineWidth = 2;
    marks.forEach(function (n) {
      var px = x(placeOf(n), w);
      if (px < left || px > w) return;
      g.beginPath(); g.moveTo(px, 0); g.lineTo(px, tall); g.stroke();
      g.fillText('✗', Math.min(px + 3, w - 12), 8);
    });
    g.setLineDash([]);
    drawOverview();
    var a = Math.max(0, from), b = Math.min(end(), to);
    range.textContent = lanes.length + (lanes.length === 1 ? ' object, ' : ' objects, ') +
      (scale.value === 't' ? clock(a) + ' to ' + clock(b) : 'events ' + (Math.ceil(a) + 1) + ' to ' + (Math.floor(b) + 1) + ' of ' + data.events);
  }
  function drawOverview() {
    var w = overview.clientWidth, h = 44, g = size(overview, w, h), most = Math.max.apply(null, data.density), all = end();
    g.fillStyle = theme.soft;
    if (scale.value === 't') {
      var step = data.width / all * w;
      data.density.forEach(function (c, i) { if (c) { var tall = Math.max(1, c / most * (h - 12)); g.fillRect(i * step, h - tall, Math.max(step - 0.3, 0.5), tall); } });
    } else {
      g.fillRect(0, h / 2 - 2, w, 4);
    }
    g.fillStyle = theme.bad;
    marks.forEach(function (n) { var px = placeOf(n) / all * w; g.fillRect(px - 1, 0, 2, h); g.fillText('✗', Math.min(px + 3, w - 12), 7); });
    g.strokeStyle = theme.accent;
    g.lineWidth = 2;
    g.strokeRect(Math.max(1, from / all * w), 1, Math.min(w - 2, Math.max(3, (to - from) / all * w)), h - 2);
  }

  function select(lane, i, quiet) {
    selected = { lane: lane, i: i };
    detail.textContent = describe(lane, i);
    if (!quiet) {
      var p = at(lane, i), k = lanes.indexOf(lane) * ROW;
      if (p < from || p > to) view(p - (to - from) / 2, p + (to - from) / 2);
      if (k < frame.scrollTop) frame.scrollTop = k;
      if (k + ROW > frame.scrollTop + frame.clientHeight) frame.scrollTop = k + ROW - frame.clientHeight;
    }
    redraw();
  }
  function pick(ev) {
    var box = canvas.getBoundingClientRect(), w = box.width, left = labelWidth(w);
    var lane = lanes[Math.floor((ev.clientY - box.top + frame.scrollTop) / ROW)];
    if (!lane) return null;
    var p = from + (ev.clientX - box.left - left) / (w - left) * (to - from), reach = 4 / (w - left) * (to - from);
    return { lane: lane, i: Math.max(0, first(lane, p + reach) - STRIDE) };
  }
  function position(ev) {
    var box = canvas.getBoundingClientRect(), left = labelWidth(box.width);
    return from + (ev.clientX - box.left - left) / (box.width - left) * (to - from);
  }
  function toViolation() {
    if (!marks.length) return;
    var n = marks[nextViolation++ % marks.length], p = placeOf(n), size = Math.min(to - from, scale.value === 't' ? Math.max(2000, end() / 20) : 60);
    view(p - size / 2, p + size / 2);
    lanes.some(function (l) {
      for (var i = 0; i < l.rows.length; i += STRIDE) if (l.rows[i + N] === n) { select(l, i); return true; }
      return false;
    });
  }

  var pointers = {}, moved = false, tipped = null;
  canvas.addEventListener('pointerdown', function (ev) {
    pointers[ev.pointerId] = { x: ev.clientX };
    moved = false;
    if (ev.pointerType !== 'touch') canvas.setPointerCapture(ev.pointerId);
  });
  function release(ev) { delete pointers[ev.pointerId]; }
  canvas.addEventListener('pointermove', function (ev) {
    var own = pointers[ev.pointerId], ids = Object.keys(pointers), w = canvas.clientWidth - labelWidth(canvas.clientWidth);
    if (!own) { hover(ev); return; }
    if (ids.length === 2) {
      var other = pointers[ids[0] === String(ev.pointerId) ? ids[1] : ids[0]];
      var was = Math.max(12, Math.abs(own.x - other.x)), is = Math.max(12, Math.abs(ev.clientX - other.x));
      zoom(was / is, position({ clientX: (ev.clientX + other.x) / 2 }));
      moved = true;
    } else if (moved || Math.abs(ev.clientX - own.x) > 3) {
      var by = (own.x - ev.clientX) / w * (to - from);
      view(from + by, to + by);
      moved = true;
    } else return;
    own.x = ev.clientX;
  });
  canvas.addEventListener('pointerup', function (ev) {
    release(ev);
    var hit = !moved && pick(ev);
    if (hit) { select(hit.lane, hit.i); frame.focus({ preventScroll: true }); }
  });
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', function () { tip.hidden = true; tipped = null; });
  function hover(ev) {
    var hit = pick(ev);
    tip.hidden = !hit;
    if (!hit) { tipped = null; return; }
    if (!tipped || tipped.lane !== hit.lane || tipped.i !== hit.i) tip.textContent = describe(hit.lane, hit.i);
    tipped = hit;
    tip.style.left = Math.max(4, Math.min(ev.clientX + 12, innerWidth - tip.offsetWidth - 8)) + 'px';
    tip.style.top = (ev.clientY + 18 + tip.offsetHeight > innerHeight ? ev.clientY - tip.offsetHeight - 10 : ev.clientY + 18) + 'px';
  }
  canvas.addEventListener('wheel', function (ev) {
    if (ev.ctrlKey || ev.metaKey) zoom(Math.exp(Math.max(-60, Math.min(60, ev.deltaY)) * 0.01), position(ev));
    else if (ev.shiftKey || Math.abs(ev.deltaX) > Math.abs(ev.deltaY)) { var by = (ev.deltaX || ev.deltaY) / canvas.clientWidth * (to - from); view(from + by, to + by); }
    else return;
    ev.preventDefault();
  }, { passive: false });
  function centre(ev) {
    var box = overview.getBoundingClientRect(), p = (ev.clientX - box.left) / box.width * end(), half = (to - from) / 2;
    view(p - half, p + half);
  }
  overview.addEventListener('pointerdown', function (ev) { overview.setPointerCapture(ev.pointerId); centre(ev); });
  overview.addEventListener('pointermove', function (ev) { if (ev.buttons) centre(ev); });

  var acts = {
    in: function () { zoom(0.5, selected ? at(selected.lane, selected.i) : undefined); },
    out: function () { zoom(2); },
    left: function () { var by = (to - from) / 3; view(from - by, to - by); },
    right: function () { var by = (to - from) / 3; view(from + by, to + by); },
    fit: fit,
    violation: toViolation
  };
  root.querySelectorAll('button[data-do]').forEach(function (b) {
    b.addEventListener('click', acts[b.dataset.do]);
    if (b.dataset.do === 'violation' && !marks.length) b.hidden = true;
  });
  frame.addEventListener('keydown', function (ev) {
    var keys = { '+': acts.in, '=': acts.in, '-': acts.out, '0': fit, 'v': toViolation };
    if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
    if (keys[ev.key]) keys[ev.key]();
    else if (/^Arrow(Left|Right|Up|Down)$|^Home$|^End$/.test(ev.key)) step(ev.key);
    else return;
    ev.preventDefault();
  });
  function step(key) {
    if (!lanes.length) return;
    if (!selected) { select(lanes[0], Math.max(0, first(lanes[0], from) - STRIDE)); return; }
    var l = selected.lane, i = selected.i, last = l.rows.length - STRIDE;
    if (key === 'ArrowLeft') i = Math.max(0, i - STRIDE);
    else if (key === 'ArrowRight') i = Math.min(last, i + STRIDE);
    else if (key === 'Home') i = 0;
    else if (key === 'End') i = last;
    else {
      var k = lanes.indexOf(l) + (key === 'ArrowUp' ? -1 : 1), p = at(l, i);
      if (k < 0 || k >= lanes.length) return;
      l = lanes[k];
      i = Math.max(0, first(l, p) - STRIDE);
    }
    select(l, i);
  }
  show.addEventListener('change', choose);
  find.addEventListener('input', choose);
  scale.addEventListener('change', fit);
  frame.addEventListener('scroll', redraw);
  window.addEventListener('resize', redraw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  choose();
  fit();
  if (marks.length) toViolation();
}());
