/** The style sheet of small pages: one `main` in the middle, light or dark as the browser is set. */
export const CARD_STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;margin:0;display:grid;min-height:100vh;place-items:center;background:#f5f6f8;color:#1c2430}
main{max-width:28rem;margin:1rem;padding:2rem;background:#fff;border-radius:.75rem;box-shadow:0 1px 4px #0002}
h1{font-size:1.4rem;margin:0 0 .5rem}p{margin:.5rem 0;overflow-wrap:anywhere}small{color:#5a6472}a{color:#0b57d0}
ul{margin:.75rem 0 0;padding-left:1.25rem}li{margin:.25rem 0}
@media(prefers-color-scheme:dark){body{background:#14181f;color:#e6e9ee}main{background:#1e242e}small{color:#9aa4b2}a{color:#8ab4f8}}`;
