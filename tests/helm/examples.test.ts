import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chartFile } from './chart/chart-folder.ts';
import { DEPLOYED_SERVICES } from './chart/service-facts.ts';
import { HELM_VERSIONS } from './support/helm-releases.ts';
import { HelmFailure, objectsOf, runHelm, template } from './support/render.ts';
import type { Values } from './support/render.ts';

const EXAMPLES: readonly (readonly [name: string, files: readonly string[]])[] = [
  ['no values', []],
  ...readdirSync(chartFile('ci')).map((name) => [name, [chartFile(`ci/${name}`)]] as const),
];

describe.each(HELM_VERSIONS)('Helm %s', (version) => {
  it.each(EXAMPLES)('lints the chart with %s', async (_name, files) => {
    const output = await runHelm(version, ['lint', '--strict'], files);
    expect(output).toContain('0 chart(s) failed');
    expect(output).not.toMatch(/\[(?:WARNING|ERROR)\]/);
  });

  it.each(EXAMPLES)('renders the same bytes twice with %s', async (_name, files) => {
    const first = await template(version, ...files);
    expect(objectsOf(first).length).toBeGreaterThan(5);
    expect(await template(version, ...files)).toBe(first);
  });

  it.each<[string, Values]>([
    ['at the root', { publicURL: 'https://a.example' }],
    ['in the defaults', { defaults: { replica: 2 } }],
    ['in a service', { services: { tools: { replica: 2 } } }],
    ['in a map of a service', { services: { tools: { shutdown: { graceSecond: 2 } } } }],
    ['in a setting', { services: { tools: { settings: { EXECUTION_TIMEOUT: 1000 } } } }],
    ['in a service’s name', { services: { tool: { replicas: 2 } } }],
    ['in a canary', { services: { tools: { canary: { wieght: 10 } } } }],
    ['in a store', { evaluation: { mongodb: { sizes: '1Gi' } } }],
    ['in the network policy', { networkPolicy: { privateRange: [] } }],
    ['in the timeouts of the route', { httpRoute: { timeouts: { requests: '5s' } } }],
    ['in the metrics', { metrics: { serviceMonitor: { enable: true } } }],
  ])('refuses a misspelt key %s', async (_where, values) => {
    const refusal = await template(version, values).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(HelmFailure);
    expect(String(refusal)).toMatch(/additional propert/i);
  });

  it('refuses a setting that another service reads, and a secret', async () => {
    for (const values of [
      { services: { catalog: { settings: { EXECUTION_TIMEOUT_MS: 1000 } } } },
      { services: { gateway: { settings: { OPERATOR_KEY: 'x'.repeat(32) } } } },
      { services: { tools: { settings: { MONGODB_URI: 'mongodb://db' } } } },
      { services: { tools: { settings: { RETRY_LADDER: '1,2' } } } },
    ])
      await expect(template(version, values)).rejects.toThrow(/additional propert/i);
  });
});

it('every release of one service has that Deployment, and no object that another release has', async () => {
  const names = new Map<string, string>();
  for (const service of DEPLOYED_SERVICES) {
    const text = await template('4.1', chartFile('ci/one-service-gateway-values.yaml'), {
      services: { gateway: { enabled: service === 'gateway' }, [service]: { enabled: true } },
    });
    const objects = objectsOf(text.replaceAll(/\btest-/g, `${service}-release-`));
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual([`fairlead-${service}`]);
    for (const { kind, metadata } of objects) {
      const key = `${kind} ${metadata.name}`;
      expect(names.get(key), key).toBeUndefined();
      names.set(key, service);
    }
  }
});
