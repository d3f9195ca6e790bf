/*
 * Puts a room's player into a page of another site, in place of this line:
 *
 *     <script src="https://HOST/embed.js" data-room="ROOM" async></script>
 *
 * data-title names the frame for screen readers. The server allows the page with --embed-origins.
 */
(() => {
  const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  const { room, title } = script?.dataset ?? {};
  if (!script || !room) return;
  const frame = document.createElement('iframe');
  frame.src = new URL(`/r/${encodeURIComponent(room)}?listen&embed`, script.src).href;
  frame.title = title ?? room;
  // Chrome asks before a public page connects to a server on a local network. It asks for a frame
  // only if the page delegates this. Chrome before 145 has the last name.
  frame.allow = 'autoplay; local-network; loopback-network; local-network-access';
  frame.loading = 'lazy';
  frame.style.cssText = 'border:0;inline-size:100%;max-inline-size:36rem;block-size:14rem';
  script.after(frame);
})();
