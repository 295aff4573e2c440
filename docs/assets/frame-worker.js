// Search runs in a worker. Browsers start none for pages that were opened as files: there a hidden frame does its work.
if (location.protocol === "file:") {
  window.Worker = class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      inner.IFrameWorker = FrameWorker;
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      const script = inner.document.createElement("script");
      this.ready = new Promise((done) => { script.onload = done; });
      script.src = new URL(url, location.href);
      inner.document.body.append(script);
      this.inner = inner;
    }
    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }
    terminate() { this.inner.frameElement.remove(); }
  };
}
