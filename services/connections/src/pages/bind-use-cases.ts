import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { bindBrowser } from '../use-cases/bind-browser.ts';
import { cancelConnectSession } from '../use-cases/cancel-connect-session.ts';
import { cancelSignIn } from '../use-cases/cancel-sign-in.ts';
import { completeSignIn } from '../use-cases/complete-sign-in.ts';
import { connectApplication } from '../use-cases/connect-application.ts';
import { describeSignIn } from '../use-cases/describe-sign-in.ts';
import { getConnectApplication } from '../use-cases/get-connect-application.ts';
import { getConnectSignIn } from '../use-cases/get-connect-sign-in.ts';
import { isOriginAllowed } from '../use-cases/is-origin-allowed.ts';
import { listConnectApplications } from '../use-cases/list-connect-applications.ts';
import { readConnectSession } from '../use-cases/read-connect-session.ts';
import { resolveConnectSession } from '../use-cases/resolve-connect-session.ts';
import { signInWithinSession } from '../use-cases/sign-in-within-session.ts';

/** The use cases that the pages call, with their dependencies bound. */
export type PageUseCases = ReturnType<typeof bindUseCases>;

/** Binds the pages' use cases to their dependencies. */
export function bindUseCases(
  deps: DepsOf<
    | typeof bindBrowser
    | typeof cancelConnectSession
    | typeof cancelSignIn
    | typeof completeSignIn
    | typeof connectApplication
    | typeof describeSignIn
    | typeof getConnectApplication
    | typeof getConnectSignIn
    | typeof isOriginAllowed
    | typeof listConnectApplications
    | typeof readConnectSession
    | typeof resolveConnectSession
    | typeof signInWithinSession
  >,
) {
  return {
    bindBrowser: bindBrowser.bind(undefined, deps),
    cancelConnectSession: cancelConnectSession.bind(undefined, deps),
    cancelSignIn: cancelSignIn.bind(undefined, deps),
    completeSignIn: completeSignIn.bind(undefined, deps),
    connectApplication: connectApplication.bind(undefined, deps),
    describeSignIn: describeSignIn.bind(undefined, deps),
    getConnectApplication: getConnectApplication.bind(undefined, deps),
    getConnectSignIn: getConnectSignIn.bind(undefined, deps),
    isOriginAllowed: isOriginAllowed.bind(undefined, deps),
    listConnectApplications: listConnectApplications.bind(undefined, deps),
    readConnectSession: readConnectSession.bind(undefined, deps),
    resolveConnectSession: resolveConnectSession.bind(undefined, deps),
    signInWithinSession: signInWithinSession.bind(undefined, deps),
  };
}
