import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sourceFiles } from '../import-graph.ts';
import { DASHBOARDS, grafanaJson } from './dashboards.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FILES = 'deploy/helm/fairlead/files';

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Metric names in code, with their labels. `agent_tasks_${state}` becomes a pattern. */
function declaredMetrics(): readonly { readonly name: RegExp; readonly labels: readonly string[] }[] {
  const sources = sourceFiles(ROOT).filter((file) => !file.startsWith('tests/') && !file.includes('.test.'));
  return sources.flatMap((file) => {
    const text = read(file);
    const declarations = text.matchAll(
      /registry\.(counter|gauge|histogram|observed)\(\{\s*name: (['`])(.+?)\2,[^]*?(?:labels: (?:\[(.*?)\]|\{(.*?)\})|read:)/g,
    );
    return [...declarations].map(([, kind, , name = '', list = '', fixed = '']) => ({
      name: new RegExp(
        `^${name.replaceAll(/\$\{\w+\}/g, '[a-z]+')}${kind === 'histogram' ? '(_bucket|_count|_sum)?' : ''}$`,
      ),
      labels: [
        ...[...list.matchAll(/'(\w+)'/g)].map(([, label = '']) => label),
        ...[...fixed.matchAll(/(\w+):/g)].map(([, label = '']) => label),
      ],
    }));
  });
}

const DECLARED = declaredMetrics();

/** Labels that Prometheus adds. */
const TARGET_LABELS = ['namespace', 'job', 'instance', 'le'];
/** A metric that Prometheus itself writes for each target. */
const OWN = ['up'];
/** PromQL words that are followed by a bracket or stand between operands. */
const WORDS = new Set(
  'sum max min count by rate increase changes histogram_quantile topk label_values and or unless on ignoring group_left'.split(
    ' ',
  ),
);

/** Metrics in an expression, with the labels by which they are selected. */
function usedMetrics(
  expression: string,
): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\b(?:by|ignoring|on)\s*\([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]/g, '');
  const names = bare.matchAll(/([a-z_]\w*)(?:\{([^}]*)\})?/gi);
  return [...names].flatMap(([, name = '', selector = '']) =>
    WORDS.has(name)
      ? []
      : [{ name, labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label) }],
  );
}

/** Metrics and labels in an expression that no code declares. */
function unknown(expression: string): readonly string[] {
  return usedMetrics(expression).flatMap(({ name, labels }) => {
    if (OWN.includes(name)) return [];
    const metric = DECLARED.find((each) => each.name.test(name));
    if (metric === undefined) return [name];
    return labels
      .filter((label) => ![...metric.labels, ...TARGET_LABELS].includes(label))
      .map((label) => `${name}{${label}}`);
  });
}

/** The alerts of the chart. */
function alerts(): readonly {
  readonly name: string;
  readonly expression: string;
  readonly runbook: string;
}[] {
  const [, ...texts] = read(`${FILES}/alerts.yaml`).split('- alert: ');
  return texts.map((text) => ({
    name: text.split('\n', 1)[0] ?? '',
    expression: /expr: (?:\|\n)?([^]*?)\n {8}(?:for|labels):/.exec(text)?.[1] ?? '',
    runbook: /runbook_url: (\S+)/.exec(text)?.[1] ?? '',
  }));
}

test('an expression that names an unknown metric or label is found', () => {
  expect(unknown('sum by (nothing) (rate(nats_lives{job="a"}[5m])) > 0')).toEqual(['nats_lives']);
  expect(unknown('http_server_request_duration_seconds_count{route="/hooks/{token}", code="1"}')).toEqual([
    'http_server_request_duration_seconds_count{code}',
  ]);
});

test('the dashboards of the chart are those of dashboards.ts: run npm run generate', () => {
  for (const dashboard of DASHBOARDS)
    expect(JSON.parse(read(`${FILES}/dashboards/${dashboard.name}.json`))).toEqual(
      JSON.parse(grafanaJson(dashboard)),
    );
});

test('each metric and label of a dashboard exists in code', () => {
  const expressions = DASHBOARDS.flatMap(({ graphs }) =>
    graphs.flatMap(({ queries }) => queries.map(([expression]) => expression)),
  );
  expect(expressions.length).toBeGreaterThan(30);
  expect(expressions.flatMap(unknown)).toEqual([]);
});

test('each metric and label of an alert exists in code', () => {
  expect(alerts().length).toBeGreaterThan(15);
  expect(alerts().filter(({ expression }) => usedMetrics(expression).length === 0)).toEqual([]);
  expect(alerts().flatMap(({ expression }) => unknown(expression))).toEqual([]);
});

test('each metric by which the chart scales exists in code', () => {
  const queries = [...read('deploy/helm/fairlead/values.yaml').matchAll(/query: '(.*)'/g)];
  const expressions = queries.map(([, query = '']) => query.replaceAll(/\{\{.*?\}\}/g, ''));
  expect(expressions.length).toBeGreaterThan(1);
  expect(expressions.filter((expression) => usedMetrics(expression).length === 0)).toEqual([]);
  expect(expressions.flatMap(unknown)).toEqual([]);
});

test('each alert has its section of the runbooks, and each section an alert', () => {
  const sections = [...read('docs/runbooks.md').matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);
  expect(alerts().map(({ name }) => name)).toEqual(sections);
  for (const { name, runbook } of alerts())
    expect(runbook).toBe(
      `https://github.com/fairlead/fairlead/blob/main/docs/runbooks.md#${name.toLowerCase()}`,
    );
});

/** Rows of the tables of metrics: names and meaning. */
function documented(): readonly { readonly names: readonly string[]; readonly meaning: string }[] {
  const rows = ['docs/operations.md', 'docs/rate-limits.md'].flatMap((path) => {
    const [, section = ''] = /\n## Metrics\n([^]*?)(?:\n## |$)/.exec(read(path)) ?? [];
    return section.split('\n').filter((line) => line.startsWith('| `'));
  });
  return rows.map((row) => {
    const cells = row.split(' | ');
    const names = (cells[0] ?? '').matchAll(/`([a-z_…]+)`/g);
    return { names: [...names].map(([, name = '']) => name), meaning: cells.at(-1) ?? '' };
  });
}

test('each documented metric exists in code', () => {
  const names = documented().flatMap((row) => row.names);
  expect(names.length).toBeGreaterThan(40);
  const whole = names.filter((name) => !name.includes('…'));
  expect(whole.filter((name) => !DECLARED.some((each) => each.name.test(name)))).toEqual([]);
});

test('each metric that the documentation tells to alert on has an alert', () => {
  const wanted = documented().filter(({ meaning }) => /alert (?:on any|above)/.test(meaning));
  expect(wanted.length).toBeGreaterThan(5);
  const watched = alerts().flatMap(({ expression }) => usedMetrics(expression).map(({ name }) => name));
  expect(wanted.flatMap(({ names }) => names).filter((name) => !watched.includes(name))).toEqual([]);
});
