/** Which colours a page has: those that the browser prefers, or always the light or the dark ones. */
export type ColorMode = 'auto' | 'light' | 'dark';

/** Colours by their role, for both schemes; each is written `--role:value`, separated by semicolons. */
export interface Colors {
  readonly light: string;
  readonly dark: string;
}

/** The style sheet of the card pages, in the given mode; `colors` replaces colours of the default palette. */
export function cardStyle(mode: ColorMode = 'auto', colors: Colors = { light: '', dark: '' }): string {
  const [light, dark] = [`${LIGHT};${colors.light}`, `${DARK};${colors.dark}`];
  const roots = {
    auto: `:root{color-scheme:light dark;${light}}\n@media(prefers-color-scheme:dark){:root{${dark}}}`,
    light: `:root{color-scheme:light;${light}}`,
    dark: `:root{color-scheme:dark;${dark}}`,
  };
  return `${roots[mode]}\n${RULES}`;
}

// Text has a contrast of at least 4.5 to its background, borders of at least 3.
const LIGHT =
  '--page:#eef1f6;--card:#fff;--text:#17202e;--muted:#536074;--line:#d5dbe5;--border:#6d7a8d;--field:#fff;--accent:#1a4fc4;--accent-strong:#153f9e;--on-accent:#fff;--note:#f3f6fb;--danger:#9b1c17;--danger-ground:#fdf0ef;--warn:#7a4a00;--warn-ground:#fff6e5;--fill:var(--accent);--fill-strong:var(--accent-strong);--on-fill:var(--on-accent)';
const DARK =
  '--page:#10141b;--card:#1a202a;--text:#e8ebf1;--muted:#a8b3c3;--line:#333d4c;--border:#8592a5;--field:#12171f;--accent:#8ab4ff;--accent-strong:#b1cdff;--on-accent:#0c1526;--note:#212936;--danger:#ffb4ad;--danger-ground:#3a1c1c;--warn:#ffcf85;--warn-ground:#352814';

const RULES = `*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem 1rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{width:100%;max-width:27rem;min-width:0;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.875rem;box-shadow:0 8px 30px #0000000f;overflow-wrap:anywhere}
@media(max-width:26rem){body{padding:0;place-items:stretch}main{border:0;border-radius:0;box-shadow:none;padding:1.25rem 1rem 2rem}}
.brand{display:flex;align-items:center;gap:.5rem;margin:0 0 1.5rem;font-weight:650;letter-spacing:-.01em;color:var(--accent)}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.015em}
.after{margin:1rem 0 0}h2{margin:1.5rem 0 .5rem;font-size:1rem;font-weight:650}
p{margin:.5rem 0}
.muted,small{color:var(--muted)}small{font-size:.875rem}
form{margin:1.5rem 0 0}
label{display:block;margin:1rem 0 .375rem;font-weight:600}
input[type=email],input[type=password],input[type=text],input[type=search],select,textarea{display:block;width:100%;min-height:2.75rem;padding:.5rem .75rem;font:inherit;color:var(--text);background:var(--field);border:1px solid var(--border);border-radius:.5rem}
[aria-invalid=true]{border-color:var(--danger);border-width:2px}
input.code{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:1.25rem;letter-spacing:.12em;text-transform:uppercase}
button,.button{display:block;width:100%;min-height:2.75rem;padding:.5625rem 1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--on-fill);background:var(--fill);border:1px solid var(--fill);border-radius:.5rem;cursor:pointer}
button:hover,.button:hover{background:var(--fill-strong);border-color:var(--fill-strong)}
.quiet,.quiet:hover{color:var(--accent);background:transparent;border-color:var(--border)}.quiet:hover{background:var(--note)}
.actions{display:grid;gap:.75rem;margin-top:1.5rem}
@media(min-width:26rem){.actions.pair{grid-template-columns:1fr 1fr}}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.problem{margin:1rem 0;padding:.75rem 1rem;color:var(--danger);background:var(--danger-ground);border:1px solid var(--danger);border-left-width:.375rem;border-radius:.5rem}
.warning{margin:1rem 0;padding:.75rem 1rem;color:var(--warn);background:var(--warn-ground);border:1px solid var(--warn);border-left-width:.375rem;border-radius:.5rem}
.problem p,.warning p{margin:0}
.or{display:flex;align-items:center;gap:.75rem;margin:1.5rem 0;color:var(--muted)}.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
dl{margin:1rem 0;padding:.75rem 1rem;background:var(--note);border-radius:.5rem}
dt{font-size:.875rem;color:var(--muted)}dd{margin:0 0 .625rem;font-weight:600}dd:last-child{margin-bottom:0}
fieldset{margin:1.25rem 0 0;padding:0;border:0;min-width:0}legend{padding:0;margin-bottom:.5rem;font-weight:650}
.choice{display:flex;gap:.75rem;align-items:flex-start;margin:0 0 .5rem;padding:.75rem;font-weight:400;border:1px solid var(--border);border-radius:.5rem;cursor:pointer}
.choice:has(:checked){border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.choice:has(:focus-visible){outline:3px solid var(--accent);outline-offset:2px}.choice input:focus-visible{outline:0}
.choice input{flex:none;width:1.125rem;height:1.125rem;margin:.2rem 0 0;accent-color:var(--accent)}.choice span{min-width:0}.choice strong{display:block}
ul.scopes{margin:.5rem 0;padding:0;list-style:none}ul.scopes li{position:relative;margin:.375rem 0;padding-left:1.625rem}
ul.scopes li::before{content:"";position:absolute;left:.25rem;top:.4375rem;width:.375rem;height:.625rem;border:solid var(--accent);border-width:0 2px 2px 0;transform:rotate(45deg)}
.badge{display:inline-block;padding:0 .5rem;font-size:.8125rem;font-weight:600;color:var(--warn);background:var(--warn-ground);border:1px solid var(--warn);border-radius:1rem}
.usercode{margin:1rem 0;padding:.75rem;text-align:center;font:650 1.75rem/1.2 ui-monospace,SFMono-Regular,Menlo,monospace;letter-spacing:.1em;background:var(--note);border-radius:.5rem}`;
