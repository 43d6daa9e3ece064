// Resolves when two frames have passed without a mutation (those of `style` do not count: so scripts
// animate), or after `most` ms. Where nothing has changed, the second is not waited for to its end. A
// hidden page has no frames, and its timers are slow. Frames go before other tasks of a busy page, so one
// such task has to have its turn as well: the script of a javascript: link that was clicked is one.
function (most) {
  const hidden = Object.getOwnPropertyDescriptor(Document.prototype, "hidden").get;
  const end = performance.now() + most;
  let still = 0, changing = false, turned = hidden.call(document);
  setTimeout(() => { turned = true; });
  const observer = new MutationObserver((records) => {
    if (!records.some((one) => one.attributeName !== "style")) return;
    still = 0;
    changing = true;
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, all);
  return new Promise((done) => {
    const wait = () => {
      let over = false;
      const next = () => {
        if (over) return;
        over = true;
        still++;
        const quiet = still >= 2 && turned;
        if (quiet || performance.now() >= end) { observer.disconnect(); done(quiet); } else wait();
      };
      if (hidden.call(document)) {
        const channel = new MessageChannel();
        channel.port1.onmessage = next;
        channel.port2.postMessage(0);
      } else {
        requestAnimationFrame(next);
        setTimeout(next, still && !changing ? 8 : 100);
      }
    };
    wait();
  });
}
