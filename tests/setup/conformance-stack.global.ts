import type { TestProject } from 'vitest/node';
import { givenOrStartedStack } from './start-stack.ts';

/** One stack with three replicas of all that a message of an MCP client passes through. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, stop } = await givenOrStartedStack({ args: ['--replicas', 'gateway=3,mcp=3,tools=3'] });
  project.provide('stack', stack);
  return stop;
}
