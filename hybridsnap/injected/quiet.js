// (key, still ms, most ms) → {quiet, seen}: once nothing is to be expected of the page any more, or after `most`
// ms, what the observer of this key has seen.
//
// Where nothing has stirred within `still` ms, nothing is: by then tasks that were ready have had their turn,
// and workers, databases and the like have mostly answered. Where the page has changed but put nothing off, one
// frame shows what follows of that (observers of sizes and of what is in view). Else two frames have to pass
// without a mutation (those of `style` do not count: so scripts animate). Where nothing changes meanwhile, the
// second is not waited for to its end. A hidden page has no frames, and its timers are slow.
function (key, still, most) {
  const hidden = Object.getOwnPropertyDescriptor(Document.prototype, "hidden").get;
  const watch = globalThis[Symbol.for("hybridsnap watches")]?.get(key);
  const end = performance.now() + most;
  let calm = 0, changing = false;
  const observer = new MutationObserver((records) => {
    if (!records.some((one) => one.attributeName !== "style")) return;
    calm = 0;
    changing = true;
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, all);
  const turn = (call) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = call;
    channel.port2.postMessage(0);
  };
  return new Promise((done) => {
    const finish = (quiet) => {
      observer.disconnect();
      done({ quiet, seen: watch?.look() ?? null });
    };
    const wait = () => {
      let over = false;
      const next = () => {
        if (over) return;
        over = true;
        calm++;
        const quiet = calm >= (watch && !changing && !watch.expects() ? 1 : 2);
        if (quiet || performance.now() >= end) finish(quiet); else wait();
      };
      if (hidden.call(document)) { turn(next); return; }
      requestAnimationFrame(() => {
        watch?.hasDrawn();
        turn(next);  // behind what the frame calls
      });
      setTimeout(next, calm && !changing ? 8 : 100);
    };
    if (hidden.call(document)) wait();
    else setTimeout(() => { if (watch && !watch.stirs()) finish(true); else wait(); }, still);
  });
}
