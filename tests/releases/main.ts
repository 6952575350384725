// `npm test -- releases`: runs this tree and a newer release side by side, on one database, under load.
import { copyCheckout } from '../setup/copied-checkout.ts';
import { createNewerRelease } from './newer-release.ts';
import { runSideBySide } from './side-by-side.ts';
import { openInstallation } from './two-releases.ts';

const checkout = await copyCheckout();
try {
  await createNewerRelease(checkout);
  const installation = await openInstallation(checkout.root);
  try {
    const faults = await runSideBySide(installation, console.log);
    for (const fault of faults) console.error(`FAILED  ${fault}`);
    console.log(faults.length === 0 ? 'The releases run side by side.' : 'The releases do not fit.');
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await installation.close();
  }
} finally {
  await checkout.remove();
}
