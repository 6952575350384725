import type { TestProject } from 'vitest/node';
import { givenOrStartedStack } from './start-stack.ts';

/** One stack, with three replicas of every service on the way of an MCP client's message. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, stop } = await givenOrStartedStack({ args: ['--replicas', 'gateway=3,mcp=3,tools=3'] });
  project.provide('stack', stack);
  return stop;
}
