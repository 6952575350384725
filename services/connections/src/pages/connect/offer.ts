import { FieldType } from '@fairlead/contracts/catalog/v1/application_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ConnectApplication, ConnectMethod, SessionUseCases } from '../page-use-cases.ts';
import type { ShownField } from './fields.ts';
import type { PageSession } from './session.ts';

/** An application of a session with the ways to connect it. */
export interface Offer {
  readonly application: ConnectApplication;
  readonly method: ConnectMethod;
  readonly otherMethods: readonly ConnectMethod[];
}

/** The only application of a session; undefined if the person chooses. */
export function onlyApplication({ session, renews }: PageSession): string | undefined {
  if (renews !== undefined) return renews.applicationSlug;
  return session.applicationSlugs.length === 1 ? session.applicationSlugs[0] : undefined;
}

/** The session offers no such application, or no such method of it. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered';
}

/**
 * An application that the session offers, with the method of that id as text, or with the default one if it is null.
 * Throws NotOffered.
 */
export async function findOffer(
  useCases: Pick<SessionUseCases, 'getConnectApplication'>,
  { context }: PageSession,
  slug: string,
  methodId: string | null,
): Promise<Offer> {
  const { application, methods } = await offered(useCases.getConnectApplication(context, { slug }));
  const method =
    methodId === null
      ? (methods.find(({ isDefault }) => isDefault) ?? methods[0])
      : methods.find(({ authenticationId }) => String(authenticationId) === methodId);
  if (method === undefined) throw new NotOffered('The session offers no such method.');
  return {
    application,
    method,
    otherMethods: methods.filter((other) => other !== method),
  };
}

async function offered<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
    throw new NotOffered('The session offers no such application.', { cause: error });
  }
}

/** A sign-in that the vendor has authorised. */
export interface Authorized {
  readonly applicationSlug: string;
  readonly authenticationId: number;
  /** What the person chooses from; empty: nothing. */
  readonly options: readonly ShownField[];
}

/** The sign-in of that state; undefined if it is not one of the session, or not authorised. */
export async function findAuthorized(
  useCases: Pick<SessionUseCases, 'getConnectSignIn'>,
  { context }: PageSession,
  state: string,
): Promise<Authorized | undefined> {
  try {
    const { completed } = await useCases.getConnectSignIn(context, { state });
    if (completed === undefined) return undefined;
    const { applicationSlug, authenticationId, fieldOptionsJson } = completed;
    return {
      applicationSlug,
      authenticationId,
      options: Object.entries(new LazyJson(fieldOptionsJson).parseObject()).map(optionField),
    };
  } catch (error) {
    const isOver =
      error instanceof ApiError && ['OAUTH_STATE_EXPIRED', 'OAUTH_SIGN_IN_FAILED'].includes(error.code);
    if (isOver) return undefined;
    throw error;
  }
}

/** A field whose choices a sign-in found: an object of value to label. */
function optionField([name, labels]: readonly [string, unknown]): ShownField {
  const options = typeof labels === 'object' && labels !== null ? Object.entries(labels) : [];
  return {
    name,
    label: labelOf(name),
    description: '',
    type: FieldType.SELECT,
    isRequired: true,
    isPassword: false,
    maskInLogs: false,
    options: options.map(([value, label]) => ({
      $typeName: 'fairlead.catalog.v1.FieldOption',
      value,
      label: String(label),
    })),
  };
}

/** A sign-in names its choices by the field only: `workspaceId` is shown as `Workspace id`. */
function labelOf(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])|[_-]+/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
