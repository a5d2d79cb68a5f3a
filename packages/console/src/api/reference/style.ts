/** Nothing scrolls sideways: code is broken instead, so that it can be read and copied on a phone. */
export const style = `
:root {
  color-scheme: light dark;
  --text: #1f2328; --muted: #57606a; --line: #d0d7de; --code: #f3f5f8; --link: #0757ba; --page: #fff;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --muted: #a3adb8; --line: #30363d; --code: #1b2129; --link: #79b8ff; --page: #0d1117; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
a { color: var(--link); }
main, nav { padding: 1rem; overflow-wrap: anywhere; }
main { max-width: 60rem; }
nav { max-height: 50vh; overflow: auto; border-bottom: 1px solid var(--line); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav ul ul { padding-left: 1rem; }
nav a { display: block; padding: .25rem 0; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; background: var(--page); }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .5rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover, h3 a:focus { text-decoration: underline; }
h4 { margin: 1.25rem 0 .25rem; }
code { font: .9em/1.5 ui-monospace, monospace; background: var(--code); border-radius: .25rem; padding: .1em .25em; }
dl { margin: .5rem 0; }
dt { margin-top: .5rem; }
dd { margin: 0 0 0 1rem; color: var(--muted); }
:target { scroll-margin-top: 1rem; outline: 2px solid var(--link); outline-offset: .5rem; }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; max-height: none; height: 100vh; border: 0; border-right: 1px solid var(--line); }
  main { padding: 1rem 2rem; }
}
`
