import { expect, test } from 'vitest';
import { html } from './html.ts';

test('text in markup is escaped, markup is not', () => {
  const hostile = `<script>"'&`;
  expect(html`<p title="${hostile}">${html`<b>${hostile}</b>`}${[html`<i>x</i>`]}${undefined}</p>`.text).toBe(
    '<p title="&lt;script&gt;&quot;&#39;&amp;"><b>&lt;script&gt;&quot;&#39;&amp;</b><i>x</i></p>',
  );
});
