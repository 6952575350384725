import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, test } from 'vitest';
import { openDataDirectory } from './data-directory.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { planPorts } from './port-plan.ts';
import { ONE_OF_EACH } from './replicas.ts';
import { openSecrets } from './secrets.ts';
import { compileTask, gateway, rpcService, seedTask } from './services.ts';

const MONGODB_URI = 'mongodb://127.0.0.1:1';

async function planWith(childEnvironment: LaunchPlan['childEnvironment']): Promise<LaunchPlan> {
  const data = await openDataDirectory(await temporaryFolder());
  const replicas = { ...ONE_OF_EACH, identity: 2 };
  return {
    root: '/checkout',
    data,
    ports: await planPorts(data.portsFile, replicas),
    replicas,
    gatewayPort: 8080,
    secrets: await openSecrets(data.secretsFile),
    natsUrl: 'nats://127.0.0.1:2',
    childEnvironment,
  };
}

test.each([
  { transport: 'connect-fast', rpcPorts: ['identity', 'identity-2'] },
  { transport: 'grpc', rpcPorts: ['identityGrpc', 'identityGrpc-2'] },
] as const)(
  'over $transport, the gateway calls every replica of identity, and gets its pages over HTTP/1.1',
  async ({ transport, rpcPorts }) => {
    const plan = await planWith({ RPC_TRANSPORT: transport });
    const addresses = (ports: readonly (keyof LaunchPlan['ports'])[]): string =>
      ports.map((port) => `http://127.0.0.1:${String(plan.ports[port])}`).join(',');
    const { env } = gateway(plan, 1, MONGODB_URI).program;
    expect(env['IDENTITY_URL']).toBe(addresses(rpcPorts));
    expect(env['IDENTITY_PAGES_URL']).toBe(addresses(['identity', 'identity-2']));
  },
);

test('every service that seals has a key ring of its own', async () => {
  const plan = await planWith({});
  const keys = [
    gateway(plan, 1, MONGODB_URI),
    rpcService(plan, 'identity', 1, MONGODB_URI),
    rpcService(plan, 'connections', 1, MONGODB_URI),
    rpcService(plan, 'delivery', 1, MONGODB_URI),
    rpcService(plan, 'triggers', 1, MONGODB_URI),
    rpcService(plan, 'agents', 1, MONGODB_URI),
    rpcService(plan, 'mcp', 1, MONGODB_URI),
  ].map(({ program }) => program.env['SEALING_KEYS']);
  expect(new Set(keys).size).toBe(7);
  expect(keys).not.toContain(undefined);
});

test('delivery has the time to finish a request that has begun; the others stop within seconds', async () => {
  const plan = await planWith({});
  const graceOf = (name: 'delivery' | 'triggers') => {
    const { env, stopGraceMs = 0 } = rpcService(plan, name, 1, MONGODB_URI).program;
    return { own: Number(env['SHUTDOWN_GRACE_MS']), isKilledAfterMs: stopGraceMs };
  };
  const delivery = graceOf('delivery');
  expect(delivery.own).toBe(12_000);
  expect(delivery.isKilledAfterMs).toBeGreaterThan(delivery.own);
  expect(graceOf('triggers').own).toBe(3_000);
});

test('identity seeds the accounts', async () => {
  const plan = await planWith({});
  const { args, env, logFile } = seedTask(plan, MONGODB_URI);
  expect(args[0]).toBe('/checkout/services/identity/src/seed.ts');
  expect(env).toMatchObject({ MONGODB_URI, NATS_URL: plan.natsUrl });
  expect(logFile).toBe(join(plan.data.root, 'logs', 'seed.log'));
});

test('sandbox-crm is aimed at the sample vendor, unless the environment has settings for connectors', async () => {
  const settingsWith = async (environment: LaunchPlan['childEnvironment']): Promise<string | undefined> =>
    rpcService(await planWith(environment), 'catalog', 1, MONGODB_URI).program.env['CONNECTOR_SETTINGS'];
  expect(await settingsWith({})).toContain('http://127.0.0.1:');
  expect(await settingsWith({ CONNECTOR_SETTINGS: '{"a":{}}' })).toBe('{"a":{}}');
});

test('the catalogue is compiled with the vendors’ descriptions where they are kept, by clients with their own settings', async () => {
  const plan = await planWith({});
  expect(compileTask(plan).args).not.toContain('--sources');
  const { args, env } = compileTask(plan, {
    directory: '/cache/catalogue',
    environment: { npm_config_registry: 'https://mirror.test', PIP_INDEX_URL: 'https://mirror.test/simple' },
  });
  expect(args.join(' ')).toContain('--sources /cache/catalogue');
  expect(env).toMatchObject({ ...plan.childEnvironment, npm_config_registry: 'https://mirror.test' });
});

test('the environment may add connectors, and clients of theirs', async () => {
  const given = {
    FURTHER_CONNECTORS: '/mine',
    CONNECTOR_OAUTH_CLIENTS: '{"mine":{"0":{"clientId":"a","clientSecret":"b"}}}',
  };
  const [plain, further] = [await planWith({}), await planWith(given)];
  expect(compileTask(plain).args.filter((arg) => arg === '--connectors')).toHaveLength(1);
  expect(compileTask(further).args.join(' ')).toContain(
    '--connectors /checkout/connectors --connectors /mine',
  );
  const clients = (plan: LaunchPlan): unknown =>
    JSON.parse(rpcService(plan, 'connections', 1, MONGODB_URI).program.env['CONNECTOR_OAUTH_CLIENTS'] ?? '');
  expect(Object.keys(clients(plain) as object)).toEqual(['sandbox-crm']);
  expect(clients(further)).toMatchObject({ mine: { 0: { clientId: 'a', clientSecret: 'b' } } });
  expect(Object.keys(clients(further) as object)).toEqual(['mine', 'sandbox-crm']);
});
