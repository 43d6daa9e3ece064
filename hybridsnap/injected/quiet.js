// Resolves when two frames have passed without a mutation (those of `style` do not count: so scripts
// animate), or after `most` ms. Where nothing has changed, the second is not waited for to its end. A
// hidden page has no frames, and its timers are slow.
function (most) {
  const hidden = Object.getOwnPropertyDescriptor(Document.prototype, "hidden").get;
  const end = performance.now() + most;
  let still = 0, changing = false;
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
        if (still >= 2 || performance.now() >= end) { observer.disconnect(); done(still >= 2); } else wait();
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
