import type { Problem } from '@fairlead/pages/card-page';

/** Why an upstream sign-in leads back to the sign-in page; part of its address. */
export const UPSTREAM_PROBLEMS = ['refused', 'unavailable', 'unknown', 'expired'] as const;

export type UpstreamProblem = (typeof UPSTREAM_PROBLEMS)[number];

/** Shown for an unknown address and for a wrong password alike. */
export const WRONG_PASSWORD: Problem = {
  title: 'E-mail address and password do not match',
  text: 'Check both and try again. If you have forgotten your password, an administrator of your account can set a new one.',
};

/** Shown for an empty address or password. */
export const INCOMPLETE: Problem = {
  title: 'Something is missing',
  text: 'Enter your e-mail address and your password.',
};

/** The form was left open too long, or did not come from this page. */
export const STALE_FORM: Problem = {
  title: 'This form is no longer valid',
  text: 'It was open for too long, or was not sent from this page. Please send it again.',
};

/** The password is correct, but the person is active in no account. */
export const NOT_ACTIVE: Problem = {
  title: 'You are not active in any account',
  text: 'You signed in correctly, but your access has been turned off. Ask an administrator of your account.',
};

/** The password is correct, but the person is not in the account that the application belongs to. */
export const OTHER_ACCOUNT: Problem = {
  title: 'This application belongs to another account',
  text: 'Sign in as a user of that account.',
};

/** Too many attempts. */
export function tooMany(retryAfterSeconds: number): Problem {
  return {
    title: 'Too many attempts',
    text: `Wait ${inWords(retryAfterSeconds)}, then try again.`,
  };
}

/** Shown after a failed sign-in at the provider `name`. */
export function upstreamProblem(kind: UpstreamProblem, name: string): Problem {
  switch (kind) {
    case 'refused':
      return { title: `${name} did not sign you in`, text: 'It was cancelled or refused there. Try again.' };
    case 'unavailable':
      return {
        title: `${name} is not responding`,
        text: 'Try again later, or sign in with your password.',
      };
    case 'unknown':
      return {
        title: 'No user matches this sign-in',
        text: `${name} signed you in, but no active user here has your verified e-mail address. Ask an administrator of your account to add you.`,
      };
    case 'expired':
      return { title: 'That took too long', text: 'Please sign in again.' };
  }
}

/** HTTP status of the page that shows the problem. */
export function upstreamStatus(kind: UpstreamProblem): number {
  if (kind === 'unavailable') return 503;
  return kind === 'unknown' ? 403 : 400;
}

function inWords(seconds: number): string {
  if (seconds <= 1) return 'a second';
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
