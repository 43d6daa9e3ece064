// (key, still ms, most ms, most ms while text fades) → {quiet, seen}: once nothing is to be expected of the page
// any more, or after so many ms, what the observer of this key has seen.
//
// Where nothing has stirred within `still` ms, nothing is: by then tasks that were ready have had their turn,
// and workers, databases and the like have mostly answered. Where the page has changed but put nothing off, one
// frame shows what follows of that (observers of sizes and of what is in view). Else two frames have to pass
// without a mutation (those of `style` do not count: so scripts animate). Where nothing changes meanwhile, the
// second is not waited for to its end. A hidden page has no frames, and its timers are slow.
//
// Text that fades to nothing is waited for: many pages remove a dialog or menu when it has faded out.
function (key, still, most, mostFading) {
  const hidden = Object.getOwnPropertyDescriptor(Document.prototype, "hidden").get;
  const watch = globalThis[Symbol.for("hybridsnap watches")]?.get(key);
  const start = performance.now();
  const fades = (until) => Document.prototype.getAnimations.call(document).some(({ effect, playState }) => {
    if (playState !== "running" || !effect.target || effect.pseudoElement) return false;
    const { endTime, localTime } = effect.getComputedTiming();
    return performance.now() + endTime - localTime < until
      && effect.getKeyframes().at(-1)?.opacity === "0" && /\S/.test(effect.target.textContent);
  });
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
        const fading = !hidden.call(document) && fades(start + mostFading);
        if (fading) calm = 0;
        const quiet = calm >= (watch && !changing && !watch.expects() ? 1 : 2);
        if (quiet || performance.now() - start >= (fading ? mostFading : most)) finish(quiet); else wait();
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
