import { Octokit } from '@octokit/rest';

const at = (url) => new Octokit({ auth: 'token', baseUrl: url }).rest;
const here = { owner: 'acme', repo: 'site' };

export const origin = 'https://api.github.com';
export const authenticationId = 0;
export const fields = { accessToken: 'token' };
export const cases = [
  {
    tool: 'github-get-issue',
    input: { ...here, id: 7 },
    sdk: (url) => at(url).issues.get({ ...here, issue_number: 7 }),
  },
  {
    tool: 'github-create-issue',
    input: { ...here, title: 'Broken', body: 'It is.', labels: ['bug'] },
    sdk: (url) => at(url).issues.create({ ...here, title: 'Broken', body: 'It is.', labels: ['bug'] }),
  },
  {
    tool: 'github-update-issue',
    input: { ...here, id: 7, state: 'closed', state_reason: 'completed' },
    sdk: (url) =>
      at(url).issues.update({ ...here, issue_number: 7, state: 'closed', state_reason: 'completed' }),
  },
  {
    tool: 'github-create-issue-comment',
    input: { ...here, id: 7, body: 'Done' },
    sdk: (url) => at(url).issues.createComment({ ...here, issue_number: 7, body: 'Done' }),
  },
  {
    tool: 'github-delete-issue-comment',
    input: { ...here, id: 9 },
    sdk: (url) => at(url).issues.deleteComment({ ...here, comment_id: 9 }),
  },
  {
    tool: 'github-create-label',
    input: { ...here, name: 'bug', color: 'ff0000' },
    sdk: (url) => at(url).issues.createLabel({ ...here, name: 'bug', color: 'ff0000' }),
  },
  {
    tool: 'github-get-pull-request',
    input: { ...here, id: 3 },
    sdk: (url) => at(url).pulls.get({ ...here, pull_number: 3 }),
  },
  {
    tool: 'github-merge-pull-request',
    input: { ...here, id: 3, merge_method: 'squash' },
    sdk: (url) => at(url).pulls.merge({ ...here, pull_number: 3, merge_method: 'squash' }),
  },
  { tool: 'github-get-repository', input: here, sdk: (url) => at(url).repos.get(here) },
  {
    tool: 'github-get-user',
    input: { id: 'ada' },
    sdk: (url) => at(url).users.getByUsername({ username: 'ada' }),
  },
];
