import { posix } from 'node:path';
import { Html, html } from '@fairlead/pages/html';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';
import type { Tokens } from 'marked';

/** Targets of a guide's links. Paths are relative to the docs folder; undefined: the file is not served. */
export interface GuideLinks {
  /** Address of another guide, from its file such as `limits.md`. */
  page(file: string): string | undefined;
  /** Address of a picture, from its file. */
  picture(file: string): string | undefined;
}

/** A guide as markup. */
export interface RenderedGuide {
  readonly title: string;
  readonly content: Html;
  /** The guide's sections: headings of the second level. */
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

const EXTERNAL = /^(?:https?:|mailto:)/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Renders the Markdown of a guide (GitHub's flavour). Markup in it is shown as text. A link to another guide leads to its
 * page; the text of a link to anything else in the repository stands without a link. Headings have GitHub's anchors.
 * Throws if the text has no title or shows a picture that is not served.
 */
export function renderGuide(markdown: string, links: GuideLinks): RenderedGuide {
  const slugger = new GithubSlugger();
  const sections: { id: string; title: string }[] = [];
  let title = '';
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escaped(text),
      heading({ tokens, depth }) {
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = slugger.slug(plain);
        if (depth === 1 && title === '') title = plain;
        if (depth === 2) sections.push({ id, title: plain });
        return `<h${depth} id="${escaped(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, title: tip, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = servedAddress(href, links);
        if (address === undefined) return text;
        const tooltip = tip ? ` title="${escaped(tip)}"` : '';
        return `<a href="${escaped(address)}"${tooltip}>${text}</a>`;
      },
      image({ href, text }) {
        const address = links.picture(posix.normalize(href));
        if (address === undefined) throw new Error(`The picture ${href} is not in the docs folder.`);
        return html`<img src="${address}" alt="${text}" />`.text;
      },
      // Both scroll sideways on a narrow screen, so a keyboard has to reach them.
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>`.text,
      table(token) {
        const row = (cells: readonly Tokens.TableCell[]): Html =>
          html`<tr>
            ${cells.map((cell) => tableCell(cell, new Html(this.parser.parseInline(cell.tokens))))}
          </tr>`;
        return html`<div class="wide" role="group" aria-label="Table" tabindex="0">
          <table>
            <thead>
              ${row(token.header)}
            </thead>
            <tbody>
              ${token.rows.map(row)}
            </tbody>
          </table>
        </div>`.text;
      },
    },
  });
  const content = new Html(marked.parse(markdown, { async: false }));
  if (title === '') throw new Error('A guide begins with a heading: # Title.');
  return { title, content, sections };
}

/** The same Markdown with absolute links, which work outside the repository; links to files that are not served become their text. */
export function withServedLinks(markdown: string, links: GuideLinks): string {
  const replaced = new Map<string, string>();
  for (const { type, raw, text, href } of linksIn(markdown)) {
    if (type === 'image') {
      replaced.set(raw, `![${text}](${links.picture(posix.normalize(href)) ?? href})`);
      continue;
    }
    const address = servedAddress(href, links);
    // The text of a bare address is the address itself.
    if (address === href || raw === text) continue;
    replaced.set(raw, address === undefined ? text : `[${text}](${address})`);
  }
  return [...replaced].reduce((text, [raw, by]) => text.replaceAll(raw, () => by), markdown);
}

/** The links and pictures of a Markdown text. */
export function linksIn(markdown: string): readonly (Tokens.Link | Tokens.Image)[] {
  const marked = new Marked({ gfm: true });
  const found: (Tokens.Link | Tokens.Image)[] = [];
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    // A token of the parser has this type.
    if (token.type === 'link' || token.type === 'image') found.push(token as Tokens.Link | Tokens.Image);
  });
  return found;
}

function servedAddress(href: string, links: GuideLinks): string | undefined {
  if (href.startsWith('#') || href.startsWith('/') || EXTERNAL.test(href)) return href;
  if (SCHEME.test(href)) return undefined;
  const [file = '', anchor] = href.split('#', 2);
  const page = links.page(posix.normalize(file));
  return page === undefined || anchor === undefined ? page : `${page}#${anchor}`;
}

function escaped(text: string): string {
  return html`${text}`.text;
}

/** Screen readers do not read a cell without text as a header. */
function tableCell({ header }: Tokens.TableCell, content: Html): Html {
  return header && content.text !== '' ? html`<th scope="col">${content}</th>` : html`<td>${content}</td>`;
}
