// A point chosen on the map: by the other mouse button, by a long press, or by the context key for the middle.

const long = 600; // milliseconds
const slack = 10; // pixels that a finger may move

// Calls `chosen` with the position.
export function followPresses(engine, chosen) {
  const canvas = engine.getCanvas();
  let timer = null;
  let start = null;
  const stop = () => { clearTimeout(timer); timer = null; };
  engine.on("contextmenu", ({ lngLat, originalEvent }) => {
    originalEvent.preventDefault();
    stop();
    if (!isKeyboard(originalEvent)) chosen(lngLat);
  });
  // Not every browser reports a long press as a request for a menu.
  engine.on("touchstart", ({ points, lngLat, originalEvent }) => {
    stop();
    if (points.length !== 1 || originalEvent.target !== canvas) return;
    start = points[0];
    timer = setTimeout(() => { timer = null; chosen(lngLat); }, long);
  });
  engine.on("touchmove", ({ points }) => {
    if (timer && (points.length !== 1 || Math.hypot(points[0].x - start.x, points[0].y - start.y) > slack)) stop();
  });
  for (const name of ["touchend", "touchcancel", "dragstart", "zoomstart"]) engine.on(name, stop);
  canvas.addEventListener("keydown", (event) => {
    if (event.key !== "ContextMenu" && !(event.shiftKey && event.key === "F10")) return;
    event.preventDefault();
    chosen(engine.getCenter());
  });
}

// The context key also asks for a menu, at a place of the browser's choice.
const isKeyboard = ({ pointerType, button, detail }) => pointerType === "" && button !== 2 && detail === 0;
