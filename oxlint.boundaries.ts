import type { OxlintOverride } from 'oxlint';

// Which imports a file may have is decided by where it stands, so that a new service, module or package is guarded from
// its first file. An override replaces the options of a rule as a whole: of those that match a file the last one holds,
// and each names everything that it forbids.

/** Imports that match one of the patterns are refused, with the reason. */
interface Ban {
  readonly group?: string[];
  readonly regex?: string;
  readonly message: string;
}

/** Within services: a path with /src/ in it leaves the importer's own sources. */
const OTHER_SERVICES: Ban = {
  group: ['@fairlead-services/**', '**/src/**'],
  message: 'A service never imports another service: its data comes by RPC (docs/architecture.md).',
};
const ANY_SERVICE: Ban = {
  group: ['@fairlead-services/**', '**/services/*/src/**'],
  message: 'Only services, tools and the tests of the whole import a service.',
};
const TRANSPORT: Ban = {
  group: [
    'express',
    'express/**',
    '@connectrpc/**',
    '@fairlead/contracts/**',
    '@fairlead/service-kit/rpc/**',
    '@fairlead/service-kit/http/**',
    '@fairlead/pages/**',
  ],
  message: 'Transport stays in rpc/, routes/ and the adapters.',
};
const STORAGE: Ban = {
  group: ['mongodb', 'mongodb/**', '@fairlead/service-kit/mongo/**', '**/storage/**'],
  message: 'Storage implements ports; only app.ts and storage/ see it.',
};
const MESSAGING: Ban = {
  group: ['@nats-io/**', '@fairlead/service-kit/nats/**'],
  message: 'Adapters publish and receive messages; they implement ports.',
};
const OUTER: Ban = {
  group: ['rpc', 'routes', 'workers', 'events', 'present'].map((layer) => `**/${layer}/**`),
  message: 'Imports run rpc | routes | workers | events -> use-cases -> domain.',
};
const CLIENTS: Ban = {
  group: ['**/clients/**'],
  message: 'Clients of other services implement ports; only app.ts sees them.',
};
const COMPOSITION: Ban = {
  group: ['**/app.ts', '**/config.ts', '**/main.ts'],
  message: 'app.ts alone constructs; it passes on what others need of the configuration.',
};
const USE_CASES: Ban = {
  group: ['**/use-cases/**'],
  message: 'Nothing below a use case imports one.',
};
const PORTS: Ban = {
  group: ['**/ports/**'],
  message: 'domain/ imports nothing that stands further out.',
};
const PURE = 'domain/ is pure: functions of (state, input, now).';
const IO_MODULES = [
  'undici',
  'pino',
  'node:*',
  'node:*/**',
  // Digests are pure; pureDomain allows nothing else of it.
  '!node:crypto',
  '@fairlead/egress/**',
  '@fairlead/service-kit/config',
];
const IO: Ban = { group: IO_MODULES, message: PURE };
const EFFECTS: Ban = {
  group: [...IO_MODULES, '@fairlead/service-kit/telemetry/**', '@fairlead/service-kit/clock'],
  message: PURE,
};
/**
 * What a package may know of the others; a new one knows none until it stands here. A file with this ban has no other one of
 * imports below `@fairlead/`: what one group excepts, oxlint allows whatever the others forbid.
 */
const knowsOnly = (...packages: string[]): Ban => ({
  group: ['@fairlead/**', ...packages.flatMap((name) => [`!@fairlead/${name}`, `!@fairlead/${name}/**`])],
  message: 'This package does not know that one (docs/architecture.md "Packages").',
});
const STANDS_ALONE: Ban = {
  group: ['@fairlead/**'],
  message: 'This package knows no other one (docs/architecture.md "Packages").',
};

/** Files in these places may import nothing of these kinds. */
const forbid = (files: string[], ...patterns: Ban[]): OxlintOverride => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

/** A domain also reaches the outside without an import: by the globals and by what reads the clock or chance. */
const pureDomain = (files: string[], ...patterns: Ban[]): OxlintOverride => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns, paths: [{ name: 'node:crypto', allowImportNames: ['createHash'], message: PURE }] },
    ],
    'no-restricted-globals': [
      'error',
      {
        checkGlobalObject: true,
        globals: [
          'fetch',
          'crypto',
          'performance',
          'process',
          'setTimeout',
          'setInterval',
          'setImmediate',
          'queueMicrotask',
        ].map((name) => ({ name, message: PURE })),
      },
    ],
    // tests/architecture/service-files.test.ts refuses `new Date()`, which has no property to name.
    'no-restricted-properties': [
      'error',
      { object: 'Date', property: 'now', message: PURE },
      { object: 'Math', property: 'random', message: PURE },
    ],
  },
});

/** The folders of the layers, in a service or package itself or in a module of it. */
const layerOf =
  (place: string) =>
  (name: string): string =>
    `${place}/src/**/${name}/**/*.ts`;
const layer = layerOf('services/*');

/** The guards of the layers below `place`: what everything there may not import, and what each layer may not. */
function layers(place: string, ...everywhere: Ban[]): OxlintOverride[] {
  const within = layerOf(place);
  const inner = [...everywhere, TRANSPORT, STORAGE, MESSAGING, OUTER, CLIENTS, COMPOSITION];
  const outer = ['rpc', 'routes', 'present', 'workers', 'events'].map(within);
  return [
    forbid(outer, ...everywhere, STORAGE),
    forbid([within('storage')], ...everywhere, OUTER, COMPOSITION, USE_CASES),
    forbid([within('use-cases')], ...inner),
    // A list of ports names the clock and the log, whose types alone it can use (tests/architecture/service-files.test.ts).
    forbid([within('ports')], ...inner, USE_CASES, IO),
    pureDomain([within('domain')], ...inner, USE_CASES, EFFECTS, PORTS),
  ];
}

/** From the general to the particular. */
export const boundaries: readonly OxlintOverride[] = [
  forbid(['packages/*/src/**/*.ts'], ANY_SERVICE, STANDS_ALONE),
  forbid(
    ['packages/service-kit/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('errors', 'connect-fast', 'contracts/common', 'contracts/grpc', 'pages', 'service-list'),
  ),
  // These stand on service-kit, which knows none of them.
  forbid(['packages/{counts,egress,limiter}/src/**/*.ts'], ANY_SERVICE, knowsOnly('service-kit')),
  forbid(
    ['packages/sealing/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('contracts/kubernetes', 'errors', 'service-kit'),
  ),
  forbid(['packages/access/src/**/*.ts'], ANY_SERVICE, knowsOnly('contracts', 'service-kit', 'service-list')),
  forbid(['packages/instance-secrets/src/**/*.ts'], ANY_SERVICE, knowsOnly('service-list')),
  forbid(['packages/local-stores/src/**/*.ts'], ANY_SERVICE, knowsOnly('replica-set')),
  forbid(['packages/connector-model/src/**/*.ts'], ANY_SERVICE, knowsOnly('contracts')),
  forbid(
    ['packages/connector-runtime/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('connector-model', 'egress', 'service-kit', 'worker-pool'),
  ),
  forbid(
    ['packages/connector-import/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('connector-model', 'connector-runtime', 'service-kit', 'worker-pool'),
  ),
  forbid(['packages/worker-pool/src/**/*.ts'], ANY_SERVICE, knowsOnly('service-kit')),
  forbid(
    ['packages/evaluation/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('connector-model', 'connector-runtime', 'errors', 'service-kit', 'worker-pool'),
  ),
  forbid(['packages/tool-schemas/src/**/*.ts'], ANY_SERVICE, knowsOnly('connector-model')),
  forbid(['packages/webhook-signature/src/**/*.ts'], ANY_SERVICE, knowsOnly('service-kit')),
  forbid(
    ['packages/audit-log/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('contracts/common', 'errors', 'sealing', 'service-kit'),
  ),
  // Which packages a layer may know is what package.json lists (knip).
  ...layers('packages/audit-log', ANY_SERVICE),
  forbid(
    ['packages/rest-kit/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('access', 'audit-log', 'errors', 'sealing', 'service-kit'),
  ),
  ...layers('packages/rest-kit', ANY_SERVICE),
  forbid(
    ['packages/rest-records/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly(
      'access',
      'audit-log/audit-trail',
      'audit-log/use-cases/verify-chain',
      'connector-model',
      'contracts',
      'rest-kit',
      'service-kit/canary/canary-operations',
      'service-kit/canary/reports',
      'service-kit/json/lazy-json',
      'tool-schemas',
    ),
  ),
  forbid(
    ['packages/hook-edge/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('access', 'contracts/triggers/v1/hook_service_pb', 'errors', 'rest-kit', 'service-kit'),
  ),
  forbid(
    ['packages/mcp-edge/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly(
      'access',
      'contracts/catalog/v1/catalogue_events_pb',
      'contracts/gateway',
      'contracts/mcp',
      'contracts/tools/v1/detached_call_events_pb',
      'contracts/tools/v1/toolset_events_pb',
      'errors',
      'pages',
      'rest-kit',
      'service-kit',
    ),
  ),
  forbid(
    ['packages/service-proxy/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('connect-fast', 'errors', 'service-kit'),
  ),
  forbid(
    ['packages/agent-channel/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('connector-model', 'connector-runtime', 'service-kit'),
  ),
  forbid(['packages/cli/src/**/*.ts'], ANY_SERVICE, knowsOnly('sdk', 'service-kit', 'webhook-signature')),
  forbid(
    ['packages/agent/src/**/*.ts'],
    ANY_SERVICE,
    knowsOnly('agent-channel', 'connector-model', 'connector-runtime', 'connectors', 'egress', 'service-kit'),
  ),
  forbid(['packages/*/src/**/*.test.ts', 'packages/*/src/**/testing/**/*.ts'], ANY_SERVICE),
  forbid(['connectors/**/*.ts'], ANY_SERVICE, knowsOnly('connector-model', 'connector-runtime')),
  forbid(['samples/*/src/**/*.ts'], ANY_SERVICE, STANDS_ALONE),
  forbid(['samples/webhook-receivers/src/**/*.ts'], ANY_SERVICE, knowsOnly('sdk')),
  forbid(['connectors/**/*.test.ts', 'samples/*/src/**/*.test.ts'], ANY_SERVICE),
  forbid(['services/*/src/**/*.ts'], OTHER_SERVICES),
  ...layers('services/*', OTHER_SERVICES),
  forbid(['services/*/src/**/*.test.ts', layer('testing')], OTHER_SERVICES),
];
