// One episode: what `episode_record` made of it.
"use strict";

ggb.showEpisode = (record, place) => {
  const { h } = ggb;
  const { result } = record;
  ggb.show(place, h("h1", {}, result.sample_id), h("pre", { tabindex: 0 }, JSON.stringify(result, null, 2)));
};
