import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { isEverything } from '../faults/support/selection.ts';
import { givenOrStartedStack } from './start-stack.ts';

/** Connectors, including one whose API is at an address from the connection, and whose tool may be called twice. */
const FURTHER_CONNECTORS = fileURLToPath(new URL('../contract/connectors', import.meta.url));

/**
 * One stack for this run's tests: three replicas of agents, two of identity, tools, triggers, mcp and delivery (three of delivery if every
 * fault is tested), and two gateways behind a balancer. The drain delay gives a busy machine time to notice that a gateway is stopping, and
 * to stop using its connections.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, stop } = await givenOrStartedStack({
    args: [
      '--replicas',
      `identity=2,tools=2,triggers=2,mcp=2,agents=3,delivery=${isEverything ? 3 : 2},gateway=2`,
    ],
    env: { DRAIN_DELAY_MS: '6000', FURTHER_CONNECTORS },
  });
  project.provide('stack', stack);
  return stop;
}
