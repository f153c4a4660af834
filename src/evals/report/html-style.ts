/** The style sheet of a report: light and dark, wide and narrow, screen and paper. Layers have Okabe and Ito's colours (2008). */
export const styleSheet: string = `
:root { color-scheme: light dark; --page: #f7f8f9; --surface: #fff; --text: #1b2026; --muted: #59636f; --rule: #dfe3e8; --faint: #f0f2f5;
  --accent: #0b62a4; --on-accent: #fff; --interval: #74808d; --good: #00694c; --bad: #a8281d; --warn: #6b4e00; --warn-page: #fff3d1; --warn-rule: #d9a400;
  --decompose: #0072b2; --on-decompose: #fff; --search: #e69f00; --on-search: #1b1400; --act: #d55e00; --on-act: #140800;
  --verify: #009e73; --on-verify: #00130e; --memory: #cc79a7; --on-memory: #1a0811; --model: #56b4e9; --on-model: #03141f;
  --environment: #a3a8ad; --on-environment: #14171a; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #101316; --surface: #171b1f; --text: #e6e9ed; --muted: #a5afba; --rule: #2d343b; --faint: #1f2429;
    --accent: #6db5f2; --on-accent: #071018; --interval: #8b96a2; --good: #58d0a7; --bad: #ff9c8b; --warn: #ffdf8a; --warn-page: #2b2309; --warn-rule: #8a6d10; }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
h1 { font-size: 2rem; line-height: 1.15; letter-spacing: -.02em; margin: .1rem 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; letter-spacing: -.01em; margin: 0 0 .3rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .5rem; }
p { margin: .3rem 0 .8rem; max-width: 78ch; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code { font: .86em/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
section, .masthead { background: var(--surface); border: 1px solid var(--rule); border-radius: 10px; padding: 1.5rem; margin: 0 0 1.25rem; }
.eyebrow { color: var(--muted); font-size: .8rem; font-weight: 600; letter-spacing: .08em; text-transform: uppercase; margin: 0; }
.muted, .note { color: var(--muted); }
.note { font-size: .9rem; }
.banner { border: 1px solid var(--warn-rule); border-left-width: 6px; border-radius: 6px; background: var(--warn-page); color: var(--warn); padding: .7rem 1rem; margin: 1rem 0; max-width: none; }
.banner strong { letter-spacing: .05em; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; margin: 1rem 0 0; padding: .8rem 0 0; border-top: 1px solid var(--rule); font-size: .92rem; }
.meta { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.2rem; margin: 1rem 0 0; font-size: .92rem; }
.meta dt { color: var(--muted); }
.meta dd { margin: 0; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem; margin: 1rem 0; padding: 0; list-style: none; }
.cards li { background: var(--faint); border-radius: 8px; padding: .9rem 1rem; }
.cards .label { color: var(--muted); font-size: .85rem; }
.cards .figure { display: block; font-size: 1.45rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.3; font-variant-numeric: tabular-nums; }
.cards .against { color: var(--muted); font-size: .85rem; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.noise { color: var(--muted); font-weight: 600; }
.scroll { overflow-x: auto; margin: .6rem 0; border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding: .5rem .75rem; font-size: .86rem; }
th, td { padding: .42rem .75rem; border-top: 1px solid var(--rule); text-align: left; vertical-align: top; }
thead th { border-top: 0; color: var(--muted); font-weight: 600; font-size: .84rem; white-space: nowrap; vertical-align: bottom; background: var(--faint); }
caption + thead th { border-top: 1px solid var(--rule); }
tbody th { font-weight: 600; background: var(--surface); white-space: nowrap; }
.place { display: inline-block; min-width: 1.7em; margin-right: .55em; border: 1.5px solid var(--accent); border-radius: 1em; text-align: center; font-size: .82em; font-weight: 700; print-color-adjust: exact; }
.place.filled { background: var(--accent); color: var(--on-accent); }
.sticky th:first-child { position: sticky; left: 0; z-index: 1; box-shadow: 1px 0 0 var(--rule); }
.number { text-align: right; white-space: nowrap; }
.nowrap { white-space: nowrap; }
.hidden, details > .scroll caption { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.tag { display: inline-block; font-size: .74rem; font-weight: 600; color: var(--muted); border: 1px solid var(--rule); border-radius: 4px; padding: 0 .35em; white-space: nowrap; }
.said { overflow-wrap: anywhere; min-width: 15rem; }
.words { min-width: 14rem; }
th .muted { font-weight: 400; }
.beside { display: grid; grid-template-columns: minmax(0, 1fr) max-content; gap: 1.5rem; align-items: start; }
.beside table { font-size: .84rem; }
.beside th, .beside td { padding: .35rem .6rem; }
figure { margin: .8rem 0; min-width: 0; }
figcaption { color: var(--muted); font-size: .88rem; margin-top: .4rem; }
.chart { display: block; width: 100%; height: auto; font-size: 12px; font-family: inherit; color: var(--text); overflow: visible; }
.chart text, .chart tspan { white-space: pre; }
.narrow { display: none; }
.glyph { width: 8rem; height: .9rem; vertical-align: middle; margin-right: .6rem; }
.glyph .track { stroke: var(--rule); stroke-width: 1.5; }
.glyph .range { stroke: var(--accent); stroke-width: 6; opacity: .45; }
.glyph .rate { fill: var(--accent); }
.swatch { width: 1.9rem; height: 1.25rem; vertical-align: -.3rem; margin-right: .5rem; }
.swatch text { font-size: 11px; font-weight: 700; font-family: inherit; text-anchor: middle; }
details { margin: .5rem 0; }
summary { cursor: pointer; padding: .35rem 0; font-weight: 600; overflow-wrap: anywhere; }
summary .muted { font-weight: 400; }
.timeline { display: grid; grid-template-columns: minmax(4.5rem, max-content) minmax(0, 1fr); gap: .15rem 1rem; margin: .3rem 0 .8rem; padding: .8rem 1rem; background: var(--faint); border-radius: 8px; font-size: .88rem; }
.timeline dt { color: var(--muted); }
.timeline dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
:target { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 980px) { .beside { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 620px) {
  main { padding: 0 0 2rem; }
  section, .masthead { border-radius: 0; border-width: 0 0 1px; padding: 1.2rem 1rem; margin: 0; }
  h1 { font-size: 1.6rem; }
  .wide { display: none; }
  .narrow { display: block; }
  .meta { grid-template-columns: 1fr; gap: 0; }
  .meta dd { margin-bottom: .5rem; }
  .cards { grid-template-columns: 1fr 1fr; gap: .5rem; }
  .cards .figure { font-size: 1.2rem; }
  th, td { padding: .4rem .5rem; }
  tbody th { white-space: normal; min-width: 5.5rem; }
  .glyph { display: none; }
}
@media print {
  body { background: none; font-size: 10pt; }
  main { max-width: none; padding: 0; }
  section, .masthead { border: 0; border-radius: 0; padding: 0; margin: 0 0 1.5rem; }
  nav { display: none; }
  .scroll { overflow: visible; border: 0; }
  table, .beside table { font-size: 7.5pt; }
  thead th, caption { font-size: inherit; }
  .beside .chart { max-width: 130mm; }
  th, td { padding: .15rem .3rem; }
  .glyph { display: none; }
  figure, tr, .cards li { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  .printed::details-content { content-visibility: visible; block-size: auto; }
}
`;
