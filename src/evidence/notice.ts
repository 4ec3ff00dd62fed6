/** Sentences that say nothing about a subject: cookies, consent, newsletters, scripts, rights, offers, what the page is going to say. In the supported languages. */
const NOTICES = [
  /\b(?:we|this (?:web)?site|our (?:web)?site|our partners)\b.{0,60}\bcookies?\b|\bcookies?\b.{0,80}\b(?:your (?:browser|experience|consent|preferences|settings)|accept|agree|analytics|advertis\w+|personali[sz]e)|\b(?:accept|manage|reject|allow) (?:all |your )?cookies?\b/i,
  /\b(?:by (?:continuing|using|clicking|signing|browsing)|if you continue)\b.{0,80}\b(?:you (?:agree|accept|consent)|terms|polic(?:y|ies))\b|\b(?:read|see|review) our (?:privacy|cookie|terms)/i,
  /\b(?:sign up|subscribe|register|log in|sign in)\b.{0,50}\b(?:newsletter|account|inbox|email|e-mail|updates|read|continue|access)\b|\benable javascript\b|\bjavascript (?:is|must be|to be) (?:disabled|enabled|required)\b|\byour browser (?:does not|is not|doesn['’]t)\b/i,
  /\ball rights reserved\b|^©|\bfollow us on\b|\bshare this (?:article|page|post)\b|\bskip to (?:main )?content\b|\bthis page (?:was|is)\b.{0,30}\b(?:updated|archived|reviewed|printed)\b|\btell us what you think\b/i,
  /\bcookies?\b.{0,80}\b(?:verwenden|nutzen|einsetzen|zustimm\w+|akzeptier\w+|einwillig\w+)|\b(?:verwend\w+|nutz\w+|setz\w+)\b.{0,60}\bcookies?\b|\bnewsletter (?:abonnieren|anmelden)|alle rechte vorbehalten|datenschutzerklärung/i,
  /\b(?:utiliza\w*|usa\w*|emplea\w*)\b.{0,60}\bcookies\b|\bcookies\b.{0,80}\b(?:acepta\w*|consent\w*|experiencia|navegador)|suscríbe(?:te|se)\b.{0,50}(?:bolet[ií]n|newsletter)|todos los derechos reservados|pol[ií]tica de (?:privacidad|cookies)/i,
  /(?:クッキー|cookie).{0,40}(?:使用|利用|同意|許可|設定)|(?:使用|利用|同意).{0,30}(?:クッキー|cookie)|プライバシーポリシー|無断転載|メールマガジン.{0,20}登録|javascriptを有効/iu,
  /cookie.{0,40}(?:同意|接受|使用|改善|设置)|(?:使用|接受|同意).{0,30}cookie|隐私政策|版权所有|订阅.{0,12}(?:邮件|通讯|简报)|启用javascript/iu,
  /\b(?:start|get|claim|book|request) your (?:free )?(?:trial|quote|voucher|discount|demo)\b|\bour (?:experts|platform|webinars?|customers) (?:have|has|are|is|will|bring|brings|help|helps|love|say)\b/i,
  /\bin this (?:article|post|guide|video),? (?:we|you|I)(?: will|['’]ll| look at| are going to)\b|\b(?:read on|keep reading|scroll down) to\b|\bin diesem (?:artikel|beitrag|ratgeber)\b.{0,20}\b(?:erfahren sie|erfährst du|zeigen wir (?:ihnen|dir))\b|\ben este art[ií]culo\b.{0,20}\b(?:veremos|te explicamos|encontrar[áa]s|descubrir[áa]s)/i,
  /\bcomments are (?:open|closed)\b|^leave a comment\b|^this (?:report|briefing|page|article|document|post|guide|summary|leaflet|factsheet) (?:describes|explains|sets out|summari[sz]es|sums up|looks at|is about)\b|^(?:congratulations|welcome to)\b|^(?:on this page you|here is what)\b/i,
  /(?:この|本)記事では.{0,80}(?:紹介|解説|説明)|小编.{0,20}(?:带|为|给|整理|介绍)|本文将.{0,40}(?:介绍|讲解|带)/u,
  /^(?:visit|discover|explore|join|follow|book|order|check out) (?:our|us|now|today)\b|\bonly \d+ left\b|\badd (?:it )?to (?:your )?(?:basket|cart)\b|\b(?:has|have) decided as follows\b|\bfolgende[nrs]? (?:satzung|verordnung|beschluss) beschlossen\b|\barrête ce qui suit\b/i,
  /\bwe hope (?:that )?(?:this|you (?:found|enjoyed|liked))\b|\bmany (?:people|readers|visitors) (?:ask (?:us|themselves|how|what|why|when|if|whether)|wonder|want to know)\b|\bbookmark (?:it|this|us)\b|\bcheck back (?:often|soon|regularly)\b|\bleave (?:us )?(?:a comment|your comments) below\b/i,
  /\bwir hoffen, dass (?:ihnen )?dieser\b|\bviele (?:menschen|leser) fragen (?:sich|uns)\b|\besperamos que este art[ií]culo\b|\bmuchas personas se preguntan\b/i,
  /最後まで(?:ご覧|お読み|読んで)|参考になれば|お役に立て(?:れ?ば|たら)|いかがでした|について(?:ご紹介|まとめ|解説)(?:しました|します|いたします)|希望(?:这篇|本文|以上).{0,30}(?:帮助|有用)|以上就是.{0,40}(?:内容|介绍)|很多人(?:想知道|都在问|会问)/u,
];

/** Whether a sentence is such a notice, which is never a finding. */
export const isNoticeSentence = (sentence: string): boolean =>
  NOTICES.some((pattern) => pattern.test(sentence));

/** A name and what it is, or a word and what it means, as in the first sentence of an encyclopedia. */
const DEFINITIONS = [
  /^(?:(?:The|An?|La|El|Le) (?=\p{Lu}))?(?!The |An? |It |This |That |There )\p{Lu}[\p{L}\p{N}.'’()-]*(?: [\p{L}\p{N}.'’()&-]+){0,6} (?:is|was|ist|war|es|era|est|était) (?:an?|one of|eine?|una?|une) /u,
  /^(?:The )?(?!The |These |They |There |Those )\p{Lu}[\p{L}\p{N}.'’()-]*(?: [\p{L}\p{N}.'’()&-]+){0,6} are an? /u,
  /^An? (?:[\p{Ll}-]+ ){1,6}is an? (?:[\p{Ll}-]+ ){1,4}(?:in which|that|which|where|who|with|made|used)\b/u,
  /^(?:Background|Context|Hintergrund|Antecedentes|Contexte|背景) ?[:：]/u,
  /^\p{Lu}[\p{Ll}-]+(?: [\p{Ll}-]+){0,3} means \p{Ll}+ing\b/u,
  /^[^、。]{2,30}は、.{4,}(?:路線|都市|町|村|会社|企業|施設|団体|組織|制度|番組|建築物|植物|動物|化合物|薬|病気|疾患|鉄道|学校|大学|作品|言語|ソフトウェア|サービス)(?:である|です|の(?:一つ|ひとつ)である)。$/u,
  /^(?!.{0,12}(?:原因|理由|问题|结果|目的))[^，。]{2,20}(?:（[^）]*）)?是(?:一[个座种家款条部名位]|位于)/u,
];

/** Whether a sentence says what a thing is. */
export const isDefinition = (sentence: string): boolean =>
  DEFINITIONS.some((pattern) => pattern.test(sentence));

/** Sections that few questions ask for: how something came about, where it lies, how it was found out. In the supported languages. */
const ASIDES =
  /^(?:(?:early |brief )?history|geography|etymology|(?:in )?(?:popular )?culture|methods?|methodology|see also|(?:die )?geschichte|geogra(?:ph|f)(?:ie|ía)|methoden?|methodik|siehe auch|(?:l['’])?histoire|historique|méthod(?:e|ologie)|voir aussi|culture populaire|(?:la )?historia|método|metodología|véase también|cultura popular|歴史|沿革|地理|方法|調査方法|関連項目|历史|研究方法|参见)(?:$|\s(?:and|und|et|y)\s)/iu;

/** Whether a heading is of such a section. */
export const isAside = (heading: string): boolean => ASIDES.test(heading.replace(/^\s*[\d.]+\s/, '').trim());
