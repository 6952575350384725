import type { TestProject } from 'vitest/node';
import type { DevStack } from './dev-stack.ts';
import { givenOrStartedStack } from './start-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What the running stack says of itself (`dev.json`). */
    stack: DevStack;
  }
}

/**
 * Starts the whole stack as `npm start` does, on free ports with data of its own, or takes the running one whose
 * `dev.json` FAIRLEAD_DEV_JSON names. Stopping must be clean: an exit code other than 0 fails the run.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, stop } = await givenOrStartedStack();
  project.provide('stack', stack);
  return stop;
}
