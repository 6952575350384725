import type { TestProject } from 'vitest/node';
import { launchStack } from './launched-stack.ts';

/** One stack for the tests of this run, with two replicas of the tools service; see {@link launchStack}. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, stop } = await launchStack('--replicas', 'tools=2');
  project.provide('stack', stack);
  return stop;
}
