import { expect, test } from 'vitest';
import { offering } from '../testing/upstreams.ts';
import { mergedPrompts, mergedResources, mergedTemplates, upstreamsOfResource } from './merged-lists.ts';

test('prompts come in the order of the upstreams under unique names, and keep their members', () => {
  const first = offering(9, { prompts: [{ name: 'ask', title: 'Ask' }, { name: 'zoom' }, { name: 'ask' }] });
  const second = offering(7, {
    prompts: [{ name: 'ask', arguments: [{ name: 'a' }] }, { name: 'two words' }],
  });
  const served = [...mergedPrompts([first, second])];
  const hashed: unknown = expect.stringMatching(/^ask_[0-9a-f]{8}$/);
  const legal: unknown = expect.stringMatching(/^two_words_[0-9a-f]{8}$/);
  // The connection with the lowest id keeps the name, as for tools.
  expect(served.map(([name, { json }]) => [name, json.parse()])).toEqual([
    [hashed, { name: hashed, title: 'Ask' }],
    ['zoom', { name: 'zoom' }],
    ['ask', { name: 'ask', arguments: [{ name: 'a' }] }],
    [legal, { name: legal }],
  ]);
  expect(served.map(([, { upstream, upstreamName }]) => [upstream.connectionId, upstreamName])).toEqual([
    [9, 'ask'],
    [9, 'zoom'],
    [7, 'ask'],
    [7, 'two words'],
  ]);
});

test('resources and templates with one URI are listed once, the first of them, as its server sent it', () => {
  const all = [
    offering(9, { resources: [{ uri: 'x://1', name: 'a' }], templates: [{ uriTemplate: 'x://{id}', n: 1 }] }),
    offering(7, {
      resources: [{ uri: 'x://1', name: 'b' }, { uri: 'x://2' }],
      templates: [{ uriTemplate: 'x://{id}' }],
    }),
  ];
  expect(mergedResources(all).map(({ json }) => json.text)).toEqual([
    '{"uri":"x://1","name":"a"}',
    '{"uri":"x://2"}',
  ]);
  expect(mergedTemplates(all).map(({ json }) => json.text)).toEqual(['{"uriTemplate":"x://{id}","n":1}']);
});

test('the upstream that lists a resource is asked for it, else one with a template, else all with resources', () => {
  const all = [
    offering(1, { prompts: [] }),
    offering(2, { templates: [{ uriTemplate: 'x://{id}' }] }),
    offering(3, { resources: [{ uri: 'x://1' }] }),
  ];
  const asked = (uri: string): readonly number[] =>
    upstreamsOfResource(all, uri).map(({ connectionId }) => connectionId);
  expect(asked('x://1')).toEqual([3]);
  expect(asked('x://2')).toEqual([2]);
  expect(asked('y://2')).toEqual([2, 3]);
});
