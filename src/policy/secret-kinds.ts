/** A kind of key or token, by the public facts of its format. */
export interface SecretKind {
  name: string;
  /** What it begins with, one of several. With `<` in front, a letter or a digit comes before it. */
  prefixes: readonly string[];
  /** What follows, as a regular expression. */
  body: string;
  /** What else has to be true, beside that it looks random. */
  check?: SecretCheck;
}

/** `crc`: its last six characters are a checksum. `jwt`: it decodes. `mixed`: of several kinds of characters. */
const CHECKS = ['crc', 'jwt', 'mixed'] as const;
export type SecretCheck = (typeof CHECKS)[number];

/**
 * One line for each kind: name, prefixes, body, check. In a body, `~` is [A-Za-z0-9_-], `@` is [A-Za-z0-9] and `#` is [a-f0-9].
 * What a service calls public (publishable keys, account numbers) is not here.
 */
const TABLE = String.raw`
headgate-key            hg_live_,hg_admin_,hg_setup_,hg_oat_,hg_ort_ ~{20,}
aws-access-key          AKIA,ASIA,ABIA,ACCA  [A-Z2-7]{16}
aws-bedrock-key         ABSK                 [A-Za-z0-9+/]{109,269}={0,2}
google-api-key          AIza                 ~{35}
google-oauth-secret     GOCSPX-              ~{28}
google-access-token     ya29.                ~{60,}
google-refresh-token    1//0                 ~{60,}
firebase-messaging-key  AAAA                 ~{7}:~{140}
azure-client-secret     <8Q~,<7Q~            [A-Za-z0-9_.\x7e-]{34}
azure-storage-key       AccountKey=          [A-Za-z0-9+/]{86}==
azure-shared-access-key SharedAccessKey=     [A-Za-z0-9+/]{43}=
alibaba-access-key      LTAI                 @{20}
tencent-secret-id       AKID                 @{32}
yandex-api-key          AQVN                 ~{35,38}
digitalocean-token      dop_v1_,doo_v1_,dor_v1_  #{64}
heroku-key              HRKU-AA              ~{58}
linode-or-fly-token     fo1_                 ~{43}
fly-macaroon            fm1r_,fm2_           [A-Za-z0-9+/]{100,}={0,3}
netlify-token           nfp_                 @{36}
vercel-token            vcp_,vci_,vca_,vcr_  @{56}
supabase-token          sbp_                 #{40}
supabase-secret-key     sb_secret_           ~{22}_@{8}
planetscale-secret      pscale_tkn_,pscale_pw_,pscale_oauth_  [A-Za-z0-9_.=-]{32,64}
databricks-token        dapi                 #{32}(?:-\d)?
clickhouse-cloud-key    4b1d                 @{38}
cloudflare-origin-key   v1.0-                #{24}-#{146}
terraform-cloud-token   <.atlasv1.           [A-Za-z0-9_=-]{60,70}
vault-token             hvs.,hvb.,hvr.       ~{90,}
doppler-token           dp.pt.,dp.st.,dp.sa.,dp.ct.,dp.scim.,dp.audit.  [A-Za-z0-9_.-]{40,60}
pulumi-token            pul-                 #{40}
prefect-key             pnu_                 @{36}
1password-token         ops_eyJ              [A-Za-z0-9+/_-]{250,}={0,3}
age-secret-key          AGE-SECRET-KEY-1     [QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}
github-token            ghp_,gho_,ghu_,ghs_,ghr_  @{36}  crc
github-fine-grained     github_pat_          @{22}_@{59}
gitlab-token            glpat-,gldt-,glft-,glsoat-,glrt-,glcbt-,glffct-  ~{20,50}
gitlab-trigger-token    glptt-               #{40}
gitlab-agent-token      glagent-             ~{50}
bitbucket-app-password  ATBB                 @{32}
atlassian-token         ATATT3,ATCTT3        [A-Za-z0-9_=-]{180,200}
npm-token               npm_                 @{36}
pypi-token              pypi-AgE             ~{60,}
rubygems-key            rubygems_            #{48}
crates-token            cio                  @{32}  mixed
nuget-key               oy2                  [a-z0-9]{43}  mixed
clojars-token           CLOJARS_             #{60}
docker-token            dckr_pat_,dckr_oat_  ~{27,32}
artifactory-key         AKCp                 @{69}
artifactory-reference   cmVmdGtu             @{56}
buildkite-token         bkua_                #{40}
circleci-token          CCIPAT_,CCIPRJ_      @{22}_#{40}
sourcegraph-token       sgp_                 (?:@{16}_)?#{40}
openai-key              sk-proj-,sk-svcacct-,sk-admin-  ~{40,200}
openai-legacy-key       sk-                  @{20}T3BlbkFJ@{20}
anthropic-key           sk-ant-api03-,sk-ant-admin01-,sk-ant-oat01-  ~{80,110}
openrouter-key          sk-or-v1-            #{64}
deepseek-key            sk-                  #{32}
langfuse-key            sk-lf-               #{8}-#{4}-#{4}-#{4}-#{12}
elevenlabs-key          sk_                  #{48}
groq-key                gsk_                 @{52}
xai-key                 xai-                 @{80}
cerebras-key            csk-                 [a-z0-9]{48}
replicate-token         r8_                  @{37}
hugging-face-token      hf_                  [A-Za-z]{34}
hugging-face-org-token  api_org_             [A-Za-z]{34}
perplexity-key          pplx-                @{48}
nvidia-key              nvapi-               ~{64}
voyage-key              pa-                  ~{43}  mixed
fireworks-key           fw_                  @{22,24}
together-key            tgp_v1_              ~{43}
pinecone-key            pcsk_                @{5,6}_@{63}
langsmith-key           lsv2_pt_,lsv2_sk_    #{32}_#{10}
tavily-key              tvly-,tvly-dev-,tvly-prod-  @{32}
jina-key                jina_                #{32}~{27,33}
firecrawl-key           fc-                  #{32}
brave-search-key        BSA                  ~{28}  mixed
slack-token             xoxb-,xoxp-,xoxa-,xoxr-,xoxs-,xoxe-  \d{10,13}-[\w-]{20,}
slack-app-token         xapp-                \d-[A-Z0-9]{8,12}-\d{10,13}-#{64}
slack-webhook           hooks.slack.com/services/  T[A-Z0-9]{8,10}/B[A-Z0-9]{8,10}/@{24}
discord-webhook         discord.com/api/webhooks/,discordapp.com/api/webhooks/  \d{17,20}/~{60,70}
telegram-bot-token      <:AA                 ~{33}
twilio-key              SK                   #{32}
sendgrid-key            SG.                  ~{22}\.~{43}
mailgun-key             key-                 #{32}
brevo-key               xkeysib-             #{64}-@{16}
stripe-key              sk_live_,rk_live_,sk_test_,rk_test_  @{24,110}
webhook-secret          whsec_               [A-Za-z0-9+/]{32,}={0,2}
square-secret           sq0atp-,sq0csp-      ~{22,43}
shopify-token           shpat_,shpca_,shppa_,shpss_  [a-fA-F0-9]{32}
braintree-token         access_token$production$  [a-z0-9]{16}\$#{32}
easypost-key            EZAK                 @{54}
shippo-token            shippo_live_         #{40}
flutterwave-key         FLWSECK-             #{32}-X
facebook-token          EAAC,EAAG,EAAB       @{80,300}
dropbox-token           sl.u.,sl.            ~{130,}
linear-key              lin_api_             @{40}
notion-token            ntn_,secret_         @{43,46}
airtable-token          pat                  @{14}\.#{64}
figma-token             figd_                ~{40}
contentful-token        CFPAT-               ~{43}
typeform-token          tfp_                 ~{40,59}
postman-key             PMAK-                #{24}-#{34}
readme-key              rdme_                [a-z0-9]{70}
grafana-token           glsa_                @{32}_[A-Fa-f0-9]{8}
grafana-cloud-token     glc_eyJ              [A-Za-z0-9+/]{32,}={0,2}
new-relic-key           NRAK-,NRAA-          [A-Z0-9]{27}
dynatrace-token         dt0c01.,dt0s16.      [A-Z2-7]{24}\.[A-Z2-7]{64}
sentry-token            sntryu_              #{64}
sentry-org-token        sntrys_eyJ           [A-Za-z0-9+/_=-]{100,}
mapbox-secret-token     sk.eyJ               ~{60,}\.~{22}
extended-private-key    xprv,zprv,yprv       [1-9A-HJ-NP-Za-km-z]{107}
json-web-token          eyJ                  ~{8,}\.eyJ~{8,}\.~{20,}  jwt
private-key             -----BEGIN           [\x20+](?:[A-Z0-9]{2,9}[\x20+]){0,2}PRIVATE[\x20+]KEY(?:[\x20+]BLOCK)?-----[\s\\nr]{0,8}[A-Za-z0-9+/=\s\\:,-]{64,}
`;

/** The kinds of secrets that are recognised wherever they occur. */
export const SECRET_KINDS: readonly SecretKind[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [name = '', prefixes = '', body = '', check] = line.split(/\s+/);
    const known = CHECKS.find((one) => one === check);
    return {
      name,
      prefixes: prefixes.split(','),
      body: body.replaceAll('~', '[A-Za-z0-9_-]').replaceAll('@', '[A-Za-z0-9]').replaceAll('#', '[a-f0-9]'),
      ...(known === undefined ? {} : { check: known }),
    };
  });

/** Secrets that only their surroundings give away: an assignment, a header, the password in an address. */
export const NAMED_SECRETS: readonly { name: string; pattern: string }[] = [
  {
    name: 'assigned-secret',
    pattern: String.raw`(?:api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|access[_-]?token|auth[_-]?token|passw(?:or)?d|passphrase|pwd)["']?\s{0,3}(?::=|=>|[=:])\s{0,3}["']?([A-Za-z0-9_.+/=~!$%^*-]{16,})`,
  },
  {
    name: 'authorization-header',
    pattern: String.raw`(?:bearer|basic|x-api-key:)\s{1,3}([A-Za-z0-9_.+/=~-]{16,})`,
  },
  { name: 'password-in-address', pattern: String.raw`://[^\s/:@?#]{0,64}:([^\s/@?#]{8,200})@` },
];
