import type { TestProject } from 'vitest/node';
import { startHostileStack } from '../hostile/support/hostile-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the vendor in all connectors' settings; it attacks the calls that request it. */
    hostileVendorUrl: string;
  }
}

/** Starts the stack that the hostile tests attack. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { stack, vendorUrl, stop } = await startHostileStack();
  project.provide('stack', stack);
  project.provide('hostileVendorUrl', vendorUrl);
  return stop;
}
