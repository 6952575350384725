import { installHelm } from '../helm/support/helm-releases.ts';

/** Downloads Helm before the test files run in parallel. */
export default async function setup(): Promise<void> {
  await installHelm();
}
