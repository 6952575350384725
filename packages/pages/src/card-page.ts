import { cardStyle } from './card-style.ts';
import { Html, html, renderPage } from './html.ts';
import type { RenderedPage } from './html.ts';

/** A problem with what a person submitted, shown above the form so that they can submit it again. */
export interface Problem {
  readonly title: string;
  readonly text: string;
}

/** A page's language by its BCP 47 code, and the words before its title after a problem. */
export interface CardLanguage {
  readonly code: string;
  readonly problemPrefix: string;
}

const ENGLISH: CardLanguage = { code: 'en', problemPrefix: 'Problem: ' };

/** The id of the problem at the top of a page: the fields concerned name it in aria-describedby. */
export const PROBLEM_ID = 'problem';

/** A small page for people: the product's name, heading and lead, a problem where there is one, and `content`. */
export function cardPage(o: {
  readonly status?: number;
  /** Default: English. */
  readonly language?: CardLanguage;
  readonly title: string;
  /** The paragraph below the heading. */
  readonly lead?: Html;
  readonly problem?: Problem | undefined;
  readonly content: Html | readonly Html[];
  /** The member of the same name in PageParts. */
  readonly formTargets?: readonly string[];
}): RenderedPage {
  const { code, problemPrefix } = o.language ?? ENGLISH;
  return renderPage({
    status: o.status ?? 200,
    lang: code,
    title: `${o.problem === undefined ? '' : problemPrefix}${o.title} · Fairlead`,
    style: STYLE,
    ...(o.formTargets !== undefined && { formTargets: o.formTargets }),
    body: html`<main>
      <p class="brand">${MARK}Fairlead</p>
      <h1>${o.title}</h1>
      ${o.lead} ${o.problem === undefined ? undefined : problemSummary(o.problem)} ${o.content}
    </main>`,
  });
}

function problemSummary(problem: Problem): Html {
  return html`<div class="problem" role="alert" id="${PROBLEM_ID}">
    <p><strong>${problem.title}</strong></p>
    <p>${problem.text}</p>
  </div>`;
}

/** A fairlead: the ring that guides a rope. */
export const MARK = new Html(
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="4"/><path d="M1 21C7 21 8 12 12 12s5-9 11-9" fill="none" stroke="currentColor" stroke-width="2"/></svg>',
);

const STYLE = cardStyle();
