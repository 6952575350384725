import type { TestProject } from 'vitest/node';
import type { DevStack } from './dev-stack.ts';
import { givenOrStartedStack } from './start-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `dev.json` of the running stack. */
    stack: DevStack;
  }
}

/**
 * Starts the whole stack as `npm start` does, on free ports with its own data, or uses the running one whose
 * `dev.json` FAIRLEAD_DEV_JSON names. Stopping must be clean: an exit code other than 0 fails the run.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, stop } = await givenOrStartedStack();
  project.provide('stack', stack);
  return stop;
}
