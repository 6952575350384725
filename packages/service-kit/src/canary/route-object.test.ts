import { expect, test } from 'vitest';
import { canaryRoute, CONTROLLER_NAME, parentsOf, weightOfRoute } from './route-object.ts';

const NOW = new Date('2026-11-29T12:00:00.000Z');
const PARENT = { group: '', kind: 'Service', name: 'f-tools' };

function route(refs: readonly object[], status?: object, generation = 3) {
  return canaryRoute.parse({
    metadata: { name: 'f-tools', uid: 'u', generation, resourceVersion: '1' },
    spec: { parentRefs: [PARENT], rules: [{}, { backendRefs: refs }] },
    ...(status && { status }),
  });
}

const refs = (stable: number | undefined, canary: number | undefined) => [
  { name: 'f-tools', port: 8081, ...(stable !== undefined && { weight: stable }) },
  { name: 'f-tools-canary', port: 8081, ...(canary !== undefined && { weight: canary }) },
];

test.each([
  ['is its part of the sum', refs(90, 10), 10],
  ['is of any sum', refs(2, 1), 33.33],
  ['is 0 for weights of 0', refs(0, 0), 0],
  ['is half without weights', refs(undefined, undefined), 50],
  ['is 100 without stable', refs(0, 1), 100],
  ['is 0 without a canary', [{ name: 'f-tools', weight: 5 }], 0],
  ['is 0 without backends', [], 0],
  [
    'is that of Flagger’s names',
    [
      { name: 'f-tools-primary', weight: 70 },
      { name: 'f-tools-canary', weight: 30 },
    ],
    30,
  ],
])('the weight %s', (_name, backends, weight) => {
  expect(weightOfRoute(route(backends))).toBe(weight);
});

test('the status has our entry for each parent, beside those of others', () => {
  const other = { parentRef: PARENT, controllerName: 'other.example/controller', conditions: [] };
  const parents = parentsOf(route(refs(90, 10), { parents: [other] }), NOW);
  expect(parents).toMatchObject([
    other,
    {
      parentRef: PARENT,
      controllerName: CONTROLLER_NAME,
      conditions: [
        { type: 'Accepted', status: 'True', reason: 'Accepted', observedGeneration: 3 },
        {
          type: 'ResolvedRefs',
          status: 'True',
          reason: 'ResolvedRefs',
          lastTransitionTime: '2026-11-29T12:00:00Z',
        },
      ],
    },
  ]);
});

test('a status that is right already is left alone; another generation keeps the time of a condition that stays', () => {
  const status = { parents: parentsOf(route(refs(90, 10)), NOW) };
  const later = new Date('2026-11-29T13:00:00.000Z');
  expect(parentsOf(route(refs(90, 10), status), later)).toBeUndefined();
  const conditions = parentsOf(route(refs(80, 20), status, 4), later)?.[0]?.conditions;
  for (const condition of conditions ?? [])
    expect(condition).toMatchObject({ observedGeneration: 4, lastTransitionTime: '2026-11-29T12:00:00Z' });
  expect(parentsOf(route([{ name: 'f-tools' }], status, 4), later)?.[0]?.conditions[1]).toMatchObject({
    status: 'False',
    reason: 'BackendNotFound',
    lastTransitionTime: '2026-11-29T13:00:00Z',
  });
});

test('a backend of another kind is not resolved', () => {
  const parents = parentsOf(route([{ kind: 'Bucket', name: 'x-canary' }]), NOW);
  expect(parents?.[0]?.conditions[1]).toMatchObject({ status: 'False', reason: 'InvalidKind' });
});
