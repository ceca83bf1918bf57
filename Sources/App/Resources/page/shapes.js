// Shapes: each kind and each privacy level has its own shape, and each kind a colour too, so that colour is never the only sign.

const outlines = {
  __proto__: null, // a kind may have any name, that of a built-in property too
  interview: '<path class="body" d="M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20z"/><path class="ink" d="M7.5 8.5h9v6h-4.5l-2.5 2.5v-2.5h-2z"/>',
  photo: '<path class="body" d="M3 3h18v18H3z"/><path class="ink" d="M6.5 16.5 10.5 11l3 3.5 1.5-1.8 2.5 3.8zM15.5 7.5h1.5v1.5h-1.5z"/>',
  document: '<path class="body" d="M5 2h10l5 5v15H5z"/><path class="ink" d="M8.5 10.5h8M8.5 14h8M8.5 17.5h5"/>',
  video_object: '<path class="body" d="M4 5h16a2.5 2.5 0 0 1 2.5 2.5v9A2.5 2.5 0 0 1 20 19H4a2.5 2.5 0 0 1-2.5-2.5v-9A2.5 2.5 0 0 1 4 5z"/><path class="ink solid" d="M10 8.8v6.4l5.2-3.2z"/>',
  observation: '<path class="body" d="M12 1.5 22.5 12 12 22.5 1.5 12z"/><path class="ink" d="M7 12q5-5.5 10 0-5 5.5-10 0z"/><circle class="ink solid" cx="12" cy="12" r="1.3"/>',
  event: '<path class="body" d="M4 4.5h3V2h2.5v2.5h5V2H17v2.5h3V21H4z"/><path class="ink" d="M7 9.5h10M8.3 13.5h1.6M12.7 13.5h3M8.3 17h1.6M12.7 17h3"/>',
  other: '<path class="body" d="M7 3h10l5 9-5 9H7l-5-9z"/><circle class="ink solid" cx="12" cy="12" r="2.5"/>',
};

const badges = {
  __proto__: null,
  public: '<circle class="body" cx="8" cy="8" r="6"/><path class="ink" d="M2.5 8h11M8 2.2q-4.5 5.8 0 11.6 4.5-5.8 0-11.6z"/>',
  family_only: '<path class="body" d="M8 1.5 15 8h-2v6H3V8H1z"/><path class="ink" d="M8 14v-3.5"/>',
  private: '<path class="ink" d="M5 7.5V5a3 3 0 0 1 6 0v2.5"/><path class="body" d="M2.8 7.2h10.4v7.3H2.8z"/><path class="ink" d="M8 10v2"/>',
};

function drawing(className, size, content) {
  const template = document.createElement("template");
  template.innerHTML = `<svg class="${className}" viewBox="0 0 ${size} ${size}" aria-hidden="true" focusable="false">${content}</svg>`;
  return template.content.firstChild;
}

export const kindShape = (kind) => drawing(`shape ${kind in outlines ? kind : "other"}`, 24, outlines[kind] ?? outlines.other);
export const privacyShape = (level) => drawing(`badge ${level in badges ? level : "private"}`, 16, badges[level] ?? badges.private);
