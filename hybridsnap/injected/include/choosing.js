// For functions on a node, behind `pointing`: how points are found, of a node that stands still.
const meet = (a, b) => {
  const box = [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  return box[2] > box[0] && box[3] > box[1] ? box : null;
};
const viewport = () => [0, 0, innerWidth, innerHeight];
const clipOf = (node) => {  // what of the frame is left to it by the boxes around that scroll or cut off
  let clip = viewport();
  let position = node instanceof Element ? getComputedStyle(node).position : "static";
  for (const one of line(node).slice(1)) {
    if (!(one instanceof Element) || one === rootElement(document) || one.localName === "body") continue;
    if (!clip) break;
    const style = getComputedStyle(one);
    const holds = style.transform !== "none" || style.perspective !== "none" || style.filter !== "none";
    if (position === "fixed" && !holds) continue;
    if (position === "absolute" && !holds && style.position === "static") continue;
    if (style.overflowX !== "visible" || style.overflowY !== "visible") {
      const own = boxOf(boundsOf(one));
      if (style.overflowX === "visible") { own[0] = -1e9; own[2] = 1e9; }
      if (style.overflowY === "visible") { own[1] = -1e9; own[3] = 1e9; }
      clip = meet(clip, own);
    }
    position = style.position;
  }
  return clip;
};
const sizeOf = (box) => (box[2] - box[0]) * (box[3] - box[1]);
const centreOf = (box) => [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
const within = (box, x, y) => x >= box[0] && x < box[2] && y >= box[1] && y < box[3];
const partsOf = (all, clip) => clip ? all.map((box) => meet(box, clip)).filter(Boolean)
  .sort((a, b) => sizeOf(b) - sizeOf(a)) : [];
// @include another
// Of a label rather what it hands on to its control: a link in it would be followed.
let handedOn = false;
const isInside = (x, y) => {
  const matrix = subject instanceof SVGGeometryElement && subject.getScreenCTM();
  return Boolean(matrix) && subject.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
};
const showsThrough = (node, x, y) => hollow && line(subject).includes(node) && isInside(x, y);
let lax = false;  // a control in it will do, too
const suits = (node) => isOwn(node) && (lax || !isInAnother(node))
  && (!handedOn || controlOfLabel(node) === labelled || line(node).includes(labelled));
const free = (part, x, y) => {  // events count in whole px: rather one of those
  const fits = (...at) => { const found = hit(...at); return suits(found) || showsThrough(found, ...at); };
  const whole = [Math.round(x), Math.round(y)];
  if (within(part, ...whole) && fits(...whole)) return whole;
  return fits(x, y) ? [x, y] : null;
};
const GRID = 9;
const gridOf = (part) => {  // the free points of a grid, those in the midst of other free ones first
  const [middleX, middleY] = centreOf(part);
  const points = [];
  for (let row = 0; row < GRID; row++) {
    for (let column = 0; column < GRID; column++) {
      const x = part[0] + (part[2] - part[0]) * (column + 0.5) / GRID;
      const y = part[1] + (part[3] - part[1]) * (row + 0.5) / GRID;
      points.push(free(part, x, y));
    }
  }
  const at = (row, column) => row >= 0 && column >= 0 && row < GRID && column < GRID
    && points[row * GRID + column] ? 1 : 0;
  return points.map((point, n) => {
    if (!point) return null;
    const row = Math.floor(n / GRID), column = n % GRID;
    let around = 0;
    for (const down of [-1, 0, 1]) {
      for (const across of [-1, 0, 1]) around += at(row + down, column + across);
    }
    // What is dropped has an extent of its own: rather far from the edge, then.
    const room = Math.min(point[0] - part[0], part[2] - point[0], point[1] - part[1], part[3] - point[1]);
    return { point, around, far: hollow ? -room : Math.hypot(point[0] - middleX, point[1] - middleY) };
  }).filter(Boolean).sort((a, b) => b.around - a.around || a.far - b.far).map((one) => one.point);
};
const alongOf = (clip) => {  // points on the lines of a drawing, which may be all there is of it
  if (!(subject instanceof SVGElement)) return [];
  const shapes = [subject, ...caller(Element, "querySelectorAll")(subject, "*")].slice(0, 20);
  const points = [];
  for (const shape of shapes) {
    const matrix = shape instanceof SVGGeometryElement && shape.getScreenCTM();
    const length = matrix ? shape.getTotalLength() : 0;
    for (let n = 0; length && n < 16; n++) {
      const point = shape.getPointAtLength(length * (n + 0.5) / 16).matrixTransform(matrix);
      if (within(clip, point.x, point.y) && suits(hit(point.x, point.y))) points.push([point.x, point.y]);
    }
  }
  return points;
};
const choose = (node, all, many) => {
  if (labelled && !handedOn) {
    handedOn = true;
    const points = choose(node, all, many);
    handedOn = false;
    if (points.length) return points;
  }
  for (const clip of [clipOf(node), viewport()]) {
    const parts = partsOf(all, clip).slice(0, 8);
    const points = [];
    for (const part of parts) {
      const point = free(part, ...centreOf(part));
      if (point) points.push(point);
      if (point && !many) return points;
    }
    for (const part of parts.slice(0, 4)) points.push(...gridOf(part).slice(0, many ? 81 : 1));
    if (!points.length && clip) points.push(...alongOf(clip));
    if (points.length) return points;
  }
  return [];
};
// Its middle is in view, or it is too large for that.
const isComfortable = (node, all) => {
  const clip = clipOf(node), view = viewport();
  const largest = [...all].sort((a, b) => sizeOf(b) - sizeOf(a))[0];
  return Boolean(clip) && (within(clip, ...centreOf(largest))
    || largest[2] - largest[0] > view[2] || largest[3] - largest[1] > view[3]);
};
// Out of view only up or down, in the flow of the page: what a script may just be moving into view is not.
const isBelowOrAbove = (all) => {
  if (!all.length || all.some(([x, , endX]) => x < 0 || endX > innerWidth)) return false;
  if (isComfortable(target, all) || moves()) return false;
  return line(subject).every((one) => {
    if (!(one instanceof Element)) return true;
    const { position, transform, translate } = getComputedStyle(one);
    return /static|relative/.test(position) && transform === "none" && translate === "none";
  });
};
const bring = (node, all, align) => {
  const element = node instanceof HTMLAreaElement ? imageOf(node)
    : node instanceof Element ? node : parentOf(node);
  const inline = align === "center" ? "center" : "nearest";
  caller(Element, "scrollIntoView")(element, { block: align, inline, behavior: "instant" });
};
const bringPoint = (x, y) => {  // a point that the element's own scrolling left out of view
  const view = viewport();
  if (within(view, x, y)) return;
  scrollBy({ left: x < 0 || x >= view[2] ? x - view[2] / 2 : 0,
    top: y < 0 || y >= view[3] ? y - view[3] / 2 : 0, behavior: "instant" });
};
