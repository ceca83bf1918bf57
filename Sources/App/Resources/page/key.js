// The key of the map: what shapes and colours mean.

import { byId, element } from "./dom.js";
import { kindShape, privacyShape } from "./shapes.js";
import { kindWord, knownKinds, knownLevels, levelMeaning, levelWord } from "./words.js";
import { t } from "./texts.js";

export function drawKey() {
  const row = (shape, name, meaning) => element("li", {}, shape, element("span", {}, element("strong", {}, name), meaning ? `: ${meaning}` : ""));
  const pile = element("span", { class: "key-pile", "aria-hidden": "true" }, "3");
  const disc = element("span", { class: "key-disc", "aria-hidden": "true" }, "12");
  byId("key").append(
    element("ul", {}, row(disc, t("Several stories"), t("choosing it zooms in.")), row(pile, t("Several at one place"), t("choosing it lists them.")),
      ...knownKinds.map((kind) => row(kindShape(kind), kindWord(kind))), row(kindShape("other"), t("Any other kind"))),
    element("ul", {}, ...knownLevels.map((level) => row(privacyShape(level), levelWord(level), levelMeaning(level)))));
}
