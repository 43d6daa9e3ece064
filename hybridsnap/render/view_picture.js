// The screenshot, with a box and a tag for each interactive element that can be seen.

const picture = (() => {
  const stage = document.getElementById("stage");
  const frame = document.getElementById("shot-frame");
  const marks = document.getElementById("marks");
  const size = data.picture;
  const inPicture = [];
  let tagsWanted = 0;
  let hovered = -1;

  if (size !== null) for (const key of Object.keys(data.boxes)) if (isInView(Number(key))) inPicture.push(Number(key));

  function element(className, parent) {
    const node = document.createElement("div");
    node.className = className;
    parent.append(node);
    return node;
  }

  function place(node, box) {
    const [x, y, width, height] = box.bounds;
    node.style.left = `${(x / size.width) * 100}%`;
    node.style.top = `${(y / size.height) * 100}%`;
    node.style.width = `${(width / size.width) * 100}%`;
    node.style.height = `${(height / size.height) * 100}%`;
  }

  const isMarked = (i) => isInteractive(i) && fits[i] === 1;

  function drawBoxes() {
    if (size === null) return;
    const drawn = document.createDocumentFragment();
    let count = 0;
    for (const i of inPicture) {
      if (!isMarked(i)) continue;
      const node = element(boxOf(i).coveredBy ? "mark covered" : "mark", drawn);
      node.dataset.id = rows.id[i];
      place(node, boxOf(i));
      count++;
    }
    marks.querySelectorAll(".mark, .tag.small").forEach((node) => node.remove());
    marks.prepend(drawn);
    document.getElementById("boxed").textContent = `${count.toLocaleString("en")} interactive in view`;
    placeTags();
  }

  // A tag stands above its box, or where there is room beside it; without room it shows on hover only.
  function placeTags() {
    cancelAnimationFrame(tagsWanted);
    tagsWanted = requestAnimationFrame(() => {
      marks.querySelectorAll(".tag.small").forEach((node) => node.remove());
      const scale = marks.clientWidth / size.width;
      const taken = new Map();
      const cells = ([x, y, width, height]) => {
        const keys = [];
        for (let cx = Math.floor(x / 64); cx <= Math.floor((x + width) / 64); cx++)
          for (let cy = Math.floor(y / 64); cy <= Math.floor((y + height) / 64); cy++) keys.push(`${cx},${cy}`);
        return keys;
      };
      const isFree = (tag) =>
        tag[0] >= 0 && tag[1] >= 0 && tag[0] + tag[2] <= marks.clientWidth && tag[1] + tag[3] <= marks.clientHeight &&
        cells(tag).every((key) => (taken.get(key) || []).every((other) =>
          tag[0] >= other[0] + other[2] || other[0] >= tag[0] + tag[2] || tag[1] >= other[1] + other[3] || other[1] >= tag[1] + tag[3]));
      const drawn = document.createDocumentFragment();
      for (const i of inPicture) {
        if (!isMarked(i) || boxOf(i).coveredBy) continue;
        const [x, y, width, height] = boxOf(i).bounds.map((number) => number * scale);
        const wide = rows.id[i].length * 6.1 + 9;
        const high = 14;
        const spots = [[x, y - high], [x + width - wide, y - high], [x, y + height], [x + width - wide, y + height],
          [x + width, y], [x - wide, y], [x, y], [x + width - wide, y], [x, y + height - high]];
        const spot = spots.map(([left, top]) => [left, top, wide, high]).find(isFree);
        if (!spot) continue;
        for (const key of cells(spot)) taken.set(key, [...(taken.get(key) || []), spot]);
        const tag = element("tag small", drawn);
        tag.textContent = rows.id[i];
        tag.style.left = `${spot[0]}px`;
        tag.style.top = `${spot[1]}px`;
      }
      marks.append(drawn);
    });
  }

  function drawOne(id, i, isTagged) {
    document.getElementById(id)?.remove();
    document.getElementById(`${id}-tag`)?.remove();
    const box = i < 0 ? null : boxOf(i);
    if (size === null || box === null || !isInView(i)) return;
    const node = element("", marks);
    node.id = id;
    node.dataset.id = rows.id[i];
    place(node, box);
    if (!isTagged) return;
    const tag = element("tag full", marks);
    tag.id = `${id}-tag`;
    tag.textContent = `${rows.id[i]}  ${labelOf(i)}  ${rows.name[i].slice(0, 80)}`;
    const scale = marks.clientWidth / size.width;
    const top = box.bounds[1] * scale;
    tag.style.left = `${Math.max(0, Math.min(box.bounds[0] * scale, marks.clientWidth - tag.offsetWidth))}px`;
    tag.style.top = `${top >= 20 ? top - 20 : (box.bounds[1] + box.bounds[3]) * scale + 2}px`;
  }

  // The smallest interactive element under the pointer, or the smallest of all.
  function pick(event) {
    const area = marks.getBoundingClientRect();
    const x = ((event.clientX - area.left) / area.width) * size.width;
    const y = ((event.clientY - area.top) / area.height) * size.height;
    let best = -1;
    let least = [2, 0];
    for (const i of inPicture) {
      if (!fits[i]) continue;
      const box = boxOf(i);
      const [left, top, width, height] = box.bounds;
      if (x < left || y < top || x > left + width || y > top + height || !rows.id[i]) continue;
      const rank = [isInteractive(i) && !box.coveredBy ? 0 : 1, width * height];
      if (rank[0] < least[0] || (rank[0] === least[0] && rank[1] <= least[1])) [best, least] = [i, rank];
    }
    return best;
  }

  function reveal(i) {
    const box = boxOf(i);
    if (size === null || box === null || !isInView(i)) return;
    const scale = marks.clientWidth / size.width;
    const [x, y, width, height] = box.bounds.map((number) => number * scale);
    const left = frame.offsetLeft - stage.offsetLeft + x;
    const top = frame.offsetTop - stage.offsetTop + y;
    if (top < stage.scrollTop + 24 || top + height > stage.scrollTop + stage.clientHeight)
      stage.scrollTop = top - Math.max(40, (stage.clientHeight - height) / 2);
    if (left < stage.scrollLeft || left + width > stage.scrollLeft + stage.clientWidth)
      stage.scrollLeft = left - Math.max(40, (stage.clientWidth - width) / 2);
  }

  function listen(onHover, onClick) {
    if (size === null) return;
    marks.addEventListener("mousemove", (event) => {
      const i = pick(event);
      if (i !== hovered) onHover((hovered = i));
    });
    marks.addEventListener("mouseleave", () => onHover((hovered = -1)));
    marks.addEventListener("click", (event) => onClick(pick(event)));
    const toggle = (id, node, className, isOff) => {
      const input = document.getElementById(id);
      const apply = () => node.classList.toggle(className, input.checked !== isOff);
      input.addEventListener("change", () => { apply(); fit(); });
      apply();
    };
    toggle("show-boxes", marks, "no-boxes", true);
    toggle("show-tags", marks, "no-tags", true);
    toggle("actual-size", frame, "actual", false);
    new ResizeObserver(placeTags).observe(marks);
  }

  function fit() {
    frame.style.aspectRatio = `${size.width} / ${size.height}`;
    frame.style.width = frame.classList.contains("actual") ? `${size.width}px` : "100%";
    frame.style.maxWidth = frame.classList.contains("actual") ? "none" : `${Math.max(320, size.width)}px`;
  }

  function explain() {
    const lack = document.getElementById("lack");
    if (data.lack !== null) {
      lack.hidden = false;
      lack.querySelector("h2").textContent = data.lack.title;
      lack.querySelector("p").textContent = data.lack.words;
      document.getElementById("command").textContent = data.lack.commands;
    }
    if (size === null) stage.hidden = true;
    else fit();
    if (size === null || data.viewport === null)
      document.querySelectorAll("#picture .tools .chip").forEach((chip) => { chip.hidden = !(size !== null && chip.querySelector("#actual-size")); });
  }

  return {
    explain, listen, reveal, refresh: drawBoxes,
    hover: (i) => drawOne("hot", i, true),
    pin: (i) => drawOne("pin", i, false),
  };
})();
