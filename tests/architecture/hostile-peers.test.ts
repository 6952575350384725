import { expect, it } from 'vitest';
import { dialingConnectors, dialsOut, peerOf } from '../hostile/support/peers.ts';

it('every connector that dials out has a hostile peer (tests/hostile/support/peers.ts)', async () => {
  const connectors = await dialingConnectors();
  expect(connectors.map(({ slug }) => slug)).toContain('postgresql');
  expect(connectors.filter((connector) => peerOf(connector) === undefined).map(({ slug }) => slug)).toEqual(
    [],
  );
});

it('a connector with handlers of its own needs a peer of its own; one of templates has it already', async () => {
  const connectors = await dialingConnectors();
  const [handlers, templates] = ['postgresql', 'sandbox-crm'].map((slug) => {
    const connector = connectors.find((it) => it.slug === slug);
    if (connector === undefined) throw new Error(`No connector ${slug}.`);
    return { ...connector, slug: 'brand-new' };
  });
  expect([handlers, templates].map((it) => it && dialsOut(it))).toEqual([true, true]);
  expect(handlers && peerOf(handlers)).toBeUndefined();
  expect(templates && peerOf(templates)).toBeDefined();
});
