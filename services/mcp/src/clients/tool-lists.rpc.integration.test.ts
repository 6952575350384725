import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { expect, onTestFinished, test } from 'vitest';
import { createToolListsClient } from './tool-lists.ts';

const COUNTS = { alpha: 1_990, beta: 300, zeta: 30 };
const CATALOGUE = Object.entries(COUNTS).flatMap(([applicationSlug, count]) =>
  Array.from({ length: count }, (_tool, at) => ({ applicationSlug, toolSlug: `${applicationSlug}-${at}` })),
);
/** 600 tools of 40 KiB in one application. */
const LARGE = Array.from({ length: 600 }, (_tool, at) => ({
  applicationSlug: 'large',
  toolSlug: `large-${at}`,
  description: 'd'.repeat(40 * 1024),
}));

/** A catalogue that lists the tools of applications by name. */
async function startCatalogue() {
  const asked: (readonly string[])[] = [];
  const server = await startRpcServer({
    name: 'catalog',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: testCallerKeys,
      SHUTDOWN_GRACE_MS: 1_000,
    },
    clock: systemClock,
    log: createLogger({ service: 'catalog', level: 'silent' }),
    routes: (router) =>
      router
        .service(ToolService, {
          listChosenTools({ choice, page, isMcpEnabled }) {
            if (!isMcpEnabled) throw new Error('A server serves only tools that are enabled for MCP.');
            const slugs = choice.case === 'applications' ? choice.value.slugs : [];
            const { offset = 0, top = 0 } = page ?? {};
            if (offset === 0) asked.push(slugs);
            const tools = [...CATALOGUE, ...LARGE].filter(({ applicationSlug }) =>
              slugs.includes(applicationSlug),
            );
            return { items: tools.slice(offset, offset + top), totalCount: tools.length };
          },
        })
        .service(ToolsetService, {
          getToolset: () => ({ toolset: {} }),
          listToolsetTools: ({ page: { top = 0 } = {} }) => ({
            items: Array.from({ length: top }, () => ({})),
            totalCount: 12_000,
          }),
        }),
  });
  const peer = testPeer('catalog', server);
  onTestFinished(async () => {
    await peer.close();
    await server.close();
  });
  const options = { peer, callerKeys: testCallerKeys, clock: systemClock };
  return { asked, lists: createToolListsClient({ catalog: options, tools: options }) };
}

test('of more tools than a server serves, the order of the applications decides', async () => {
  const { lists } = await startCatalogue();
  const tools = await lists.ofApplications(testContext(), ['zeta', 'beta', 'alpha']);
  const countOf = (slug: string) => tools.filter(({ applicationSlug }) => applicationSlug === slug).length;
  expect([countOf('zeta'), countOf('beta'), countOf('alpha')]).toEqual([30, 300, 1_990]);
  expect(tools[0]?.applicationSlug).toBe('zeta');
});

test('fewer tools are read together', async () => {
  const { asked, lists } = await startCatalogue();
  expect(await lists.ofApplications(testContext(), ['zeta', 'beta'])).toHaveLength(330);
  expect(asked).toEqual([['zeta', 'beta']]);
});

test('of an application with large tools, as many are read as a server serves bytes, and the log says so', async () => {
  const { lists } = await startCatalogue();
  const { log, lines } = captureLog();
  const tools = await lists.ofApplications({ ...testContext(), log }, ['large']);
  expect(tools).toHaveLength(500);
  expect(lines()).toMatchObject([
    {
      applicationSlugs: ['large'],
      readCount: 500,
      msg: 'a list of tools is too large, and was read in part',
    },
  ]);
});

test('a toolset with more tools than are read is read in part, and the log says so', async () => {
  const { lists } = await startCatalogue();
  const { log, lines } = captureLog();
  const toolset = await lists.ofToolset({ ...testContext(), log }, 'many');
  expect(toolset?.tools).toHaveLength(10_000);
  expect(lines()).toMatchObject([{ toolsetId: 'many', readCount: 10_000 }]);
});
