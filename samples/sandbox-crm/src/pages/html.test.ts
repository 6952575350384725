import { expect, test } from 'vitest';
import { html } from './html.ts';

test('a value is escaped, in text and in attributes', () => {
  expect(html`<b title="${`"'><i>&`}">${'<i>'}</b>`.markup).toBe(
    '<b title="&quot;&#39;&gt;&lt;i&gt;&amp;">&lt;i&gt;</b>',
  );
});

test('a template inside a template, and a list of them, is not escaped again', () => {
  const items = ['<', '>'].map((text) => html`<li>${text}</li>`);
  expect(html`<p>${html`<b>${0}</b>`}${items}</p>`.markup).toBe('<p><b>0</b><li>&lt;</li><li>&gt;</li></p>');
});
