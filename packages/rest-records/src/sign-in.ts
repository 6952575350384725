import type { CompletedSignIn } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { z } from 'zod';
import { lazyObject } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';

export const signInStart = z
  .strictObject({
    signInUrl: z.string().describe('The address to open in the browser of the person who signs in.'),
    state: z
      .guid()
      .describe('Poll it, then send it as `oauthState`. It is valid for 300 seconds and for one use.'),
  })
  .meta({ id: 'SignInStart' });

/** The poll's response once the vendor has authorised. */
export const completedSignIn = z
  .strictObject({
    status: z.literal('completed'),
    connectionData: z.strictObject({
      applicationSlug: z.string(),
      authenticationId: z.int32(),
      authProviderId: z.int32().describe('0: the connector’s own OAuth client.'),
      suggestedName: z.string(),
      grantedScopes: z.array(z.string()),
    }),
    fieldOptions: lazyObject.describe(
      'For each field with discovered values, an object that maps each value to its label. Store the value.',
    ),
  })
  .meta({ id: 'CompletedSignIn' });

/** A sign-in that the vendor has authorised, or null while it is pending. */
export function presentSignIn(signIn: CompletedSignIn | undefined): z.output<typeof completedSignIn> | null {
  if (signIn === undefined) return null;
  return {
    status: 'completed',
    connectionData: {
      applicationSlug: signIn.applicationSlug,
      authenticationId: signIn.authenticationId,
      authProviderId: signIn.authProviderId,
      suggestedName: signIn.suggestedName,
      grantedScopes: signIn.grantedScopes,
    },
    fieldOptions: LazyJson.object(signIn.fieldOptionsJson),
  };
}
