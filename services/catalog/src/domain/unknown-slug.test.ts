import { expect, test } from 'vitest';
import { createLexicalIndex } from '@fairlead/lexical-index/lexical-index';
import { catalogued, testConnector, testTool, testTriggerType } from '../testing/connectors.ts';
import { createCatalogueView } from './catalogue-view.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { createApplicationList } from './application-list.ts';
import { unknownApplication, unknownTool, unknownTriggerType } from './unknown-slug.ts';

const crm = {
  tools: ['crm-list-contacts', 'crm-get-contact', 'crm-set-contact', 'crm-let-contact'],
  types: ['crm-contact-created'],
};

/** A view of these applications. */
function viewOf(
  applications: Record<string, { readonly tools: readonly string[]; readonly types?: readonly string[] }>,
): CatalogueView {
  const connectors = Object.entries(applications).map(([slug, { tools, types = [] }]) =>
    testConnector(slug, {
      tools: tools.map((it) => testTool(it)),
      triggerTypes: types.map((it) => testTriggerType(it)),
    }),
  );
  return createCatalogueView(
    createApplicationList(connectors.map(catalogued), createLexicalIndex),
    undefined,
  );
}
const view = viewOf({ crm, mail: { tools: ['mail-send'] } });

test('the error names the slug, and the three nearest, the nearest first', () => {
  expect(unknownTool(view, 'CRM-get-contct')).toMatchObject({
    code: 'NOT_FOUND',
    message:
      'There is no tool CRM-get-contct. Did you mean crm-get-contact or crm-let-contact or crm-set-contact?',
    candidates: ['crm-get-contact', 'crm-let-contact', 'crm-set-contact'],
  });
});

test('a slug that is near none has no candidates; each slug is a candidate once', () => {
  expect(unknownTool(view, 'zzz')).toMatchObject({ message: 'There is no tool zzz.', candidates: [] });
  const twice = viewOf({ a: { tools: ['echo'] }, b: { tools: ['echo'] } });
  expect(unknownTool(twice, 'ecko').candidates).toEqual(['echo']);
});

test('two thousand slugs of about that length are compared, and no long ones', () => {
  const many = Array.from({ length: 2_000 }, (_, n) => `x-${String(n).padStart(6, '9')}`);
  const nearest = (...tools: readonly string[]) => unknownTool(viewOf({ crm: { tools } }), 'crm-get');
  expect(nearest(...many, 'y-gets').candidates).toEqual([]);
  expect(nearest(...many, 'z', 'zcrm-get').candidates).toEqual([]);
  expect(nearest('a', ...many.slice(1), 'zcrm-get').candidates).toEqual(['zcrm-get']);
  const long = 'a'.repeat(101);
  expect(unknownTool(viewOf({ crm: { tools: [long.slice(1)] } }), long)).toMatchObject({
    message: `There is no tool ${long}.`,
    candidates: [],
  });
});

test.each([
  [
    'an application, asked for as a tool',
    () => unknownTool(view, 'crm'),
    'There is no tool crm. It is an application: GET /v1/tools?applicationSlug=crm lists its tools.',
  ],
  [
    'a trigger type, asked for as a tool',
    () => unknownTool(view, 'crm-contact-created'),
    'There is no tool crm-contact-created. It is a trigger type of crm.',
  ],
  [
    'a tool of another application',
    () => unknownTool(view, 'mail-send', 'crm'),
    'There is no crm tool mail-send. It is a tool of mail.',
  ],
  [
    'a tool, asked for as an application',
    () => unknownApplication(view, 'mail-send'),
    'There is no application mail-send. It is a tool of mail.',
  ],
  [
    'a trigger type, asked for as an application',
    () => unknownApplication(view, 'crm-contact-created'),
    'There is no application crm-contact-created. It is a trigger type of crm.',
  ],
  [
    'a tool, asked for as a trigger type',
    () => unknownTriggerType(view, 'crm-get-contact'),
    'There is no trigger type crm-get-contact. It is a tool of crm: GET /v1/triggers/types?applicationSlug=crm lists the trigger types.',
  ],
  [
    'a tool of an application without trigger types',
    () => unknownTriggerType(view, 'mail-send'),
    'There is no trigger type mail-send. It is a tool of mail; mail has no trigger types.',
  ],
  [
    'an application, asked for as a trigger type',
    () => unknownTriggerType(view, 'crm'),
    'There is no trigger type crm. It is an application: GET /v1/triggers/types?applicationSlug=crm lists the trigger types.',
  ],
  [
    'a trigger type, asked for at another application',
    () => unknownTriggerType(view, 'mail-contact-created'),
    'There is no trigger type mail-contact-created. Did you mean crm-contact-created?',
  ],
])('%s is told', (_what, refusal, message) => {
  expect(refusal().message).toBe(message);
});
