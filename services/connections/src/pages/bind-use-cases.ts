import { beginSignIn } from '../use-cases/begin-sign-in.ts';
import { cancelConnectSession } from '../use-cases/cancel-connect-session.ts';
import { completeSignIn } from '../use-cases/complete-sign-in.ts';
import { connectApplication } from '../use-cases/connect-application.ts';
import { describeSignIn } from '../use-cases/describe-sign-in.ts';
import { getConnectApplication } from '../use-cases/get-connect-application.ts';
import { getConnectSignIn } from '../use-cases/get-connect-sign-in.ts';
import { isOriginAllowed } from '../use-cases/is-origin-allowed.ts';
import { listConnectApplications } from '../use-cases/list-connect-applications.ts';
import { readConnectSession } from '../use-cases/read-connect-session.ts';
import { resolveConnectSession } from '../use-cases/resolve-connect-session.ts';
import { startConnectSignIn } from '../use-cases/start-connect-sign-in.ts';

type Deps = Parameters<typeof beginSignIn>[0] &
  Parameters<typeof cancelConnectSession>[0] &
  Parameters<typeof completeSignIn>[0] &
  Parameters<typeof connectApplication>[0] &
  Parameters<typeof describeSignIn>[0] &
  Parameters<typeof getConnectApplication>[0] &
  Parameters<typeof getConnectSignIn>[0] &
  Parameters<typeof isOriginAllowed>[0] &
  Parameters<typeof listConnectApplications>[0] &
  Parameters<typeof readConnectSession>[0] &
  Parameters<typeof resolveConnectSession>[0] &
  Parameters<typeof startConnectSignIn>[0];

/** The use cases that the pages call, without their first parameter. */
export type PageUseCases = ReturnType<typeof bindUseCases>;

/** Binds each use case of the pages to its dependencies. */
export function bindUseCases(deps: Deps) {
  return {
    beginSignIn: beginSignIn.bind(undefined, deps),
    cancelConnectSession: cancelConnectSession.bind(undefined, deps),
    completeSignIn: completeSignIn.bind(undefined, deps),
    connectApplication: connectApplication.bind(undefined, deps),
    describeSignIn: describeSignIn.bind(undefined, deps),
    getConnectApplication: getConnectApplication.bind(undefined, deps),
    getConnectSignIn: getConnectSignIn.bind(undefined, deps),
    isOriginAllowed: isOriginAllowed.bind(undefined, deps),
    listConnectApplications: listConnectApplications.bind(undefined, deps),
    readConnectSession: readConnectSession.bind(undefined, deps),
    resolveConnectSession: resolveConnectSession.bind(undefined, deps),
    startConnectSignIn: startConnectSignIn.bind(undefined, deps),
  };
}
