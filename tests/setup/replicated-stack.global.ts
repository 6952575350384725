import type { TestProject } from 'vitest/node';
import { givenOrStartedStack } from './start-stack.ts';

/** One stack for the tests of this run, with two replicas of the tools service. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, stop } = await givenOrStartedStack({ args: ['--replicas', 'tools=2'] });
  project.provide('stack', stack);
  return stop;
}
