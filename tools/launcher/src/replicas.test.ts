import { expect, test } from 'vitest';
import { ONE_OF_EACH, parseReplicas, replicaName, replicaNumbers } from './replicas.ts';

test('a service that is not named runs once', () => {
  expect(parseReplicas('tools=3')).toEqual({ ...ONE_OF_EACH, tools: 3 });
  expect(parseReplicas('tools=2,catalog=4')).toEqual({ ...ONE_OF_EACH, tools: 2, catalog: 4 });
  expect(parseReplicas('gateway=2')).toEqual({ ...ONE_OF_EACH, gateway: 2 });
});

test.each(['', 'tools', 'tools=', 'tools=0', 'tools=17', 'tools=1.5', 'nats=2', 'tools=2,', 'tools=2 '])(
  '%j is refused',
  (text) => {
    expect(parseReplicas(text)).toBeUndefined();
  },
);

test('the first replica has the name of its service, so that a single replica needs no number', () => {
  const replicas = { ...ONE_OF_EACH, tools: 3 };
  expect(replicaNumbers(replicas, 'catalog').map((n) => replicaName('catalog', n))).toEqual(['catalog']);
  expect(replicaNumbers(replicas, 'tools').map((n) => replicaName('tools', n))).toEqual([
    'tools',
    'tools-2',
    'tools-3',
  ]);
});
