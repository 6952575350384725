import { expect, test } from 'vitest';
import { createRegistry } from './metrics.ts';

test('a counter has a line for each combination of labels that was used', () => {
  const registry = createRegistry();
  const calls = registry.counter({ name: 'calls_total', help: 'Calls.', labels: ['kind', 'outcome'] });
  calls.series('http', '2xx').add();
  calls.series('http', '2xx').add(2);
  calls.series('http', '5xx').add();
  calls.series('socket', '2xx').add();
  expect(registry.render()).toBe(
    [
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{kind="http",outcome="2xx"} 3',
      'calls_total{kind="http",outcome="5xx"} 1',
      'calls_total{kind="socket",outcome="2xx"} 1',
      '',
    ].join('\n'),
  );
});

test('a histogram counts into cumulative buckets, a bound belonging to its own', () => {
  const registry = createRegistry();
  const seconds = registry.histogram({ name: 'd_seconds', help: 'D.', labels: ['code'], buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.series('OK').observe(value);
  expect(registry.render()).toBe(
    [
      '# HELP d_seconds D.',
      '# TYPE d_seconds histogram',
      'd_seconds_bucket{code="OK",le="0.1"} 2',
      'd_seconds_bucket{code="OK",le="1"} 3',
      'd_seconds_bucket{code="OK",le="+Inf"} 4',
      'd_seconds_sum{code="OK"} 7.65',
      'd_seconds_count{code="OK"} 4',
      '',
    ].join('\n'),
  );
});

test('a series that was kept is the one on the page', () => {
  const registry = createRegistry();
  const calls = registry.counter({ name: 'calls_total', help: 'Calls.', labels: ['kind'] });
  const kept = calls.series('a');
  calls.series('a').add();
  kept.add();
  expect(registry.render()).toContain('calls_total{kind="a"} 2\n');
});

test('a metric without labels is on the page before anything happened', () => {
  const registry = createRegistry();
  const calls = registry.counter({ name: 'calls_total', help: 'Calls.', labels: [] });
  expect(registry.render()).toContain('calls_total 0\n');
  calls.series().add();
  expect(registry.render()).toContain('calls_total 1\n');
});

test('an observed value is read with the page', () => {
  const registry = createRegistry();
  let level = 1;
  registry.observed({ name: 'level', help: 'L.', labels: { of: 'tea' }, read: () => level });
  level = 2;
  expect(registry.render()).toBe('# HELP level L.\n# TYPE level gauge\nlevel{of="tea"} 2\n');
});

test('label values cannot break out of their line', () => {
  const registry = createRegistry();
  registry
    .counter({ name: 'c_total', help: 'C.', labels: ['l'] })
    .series('a"b\\c\nd')
    .add();
  expect(registry.render()).toContain(String.raw`c_total{l="a\"b\\c\nd"} 1`);
});

test('a name is declared once', () => {
  const registry = createRegistry();
  registry.counter({ name: 'c_total', help: 'C.', labels: [] });
  expect(() => registry.counter({ name: 'c_total', help: 'C.', labels: [] })).toThrow('c_total');
});
