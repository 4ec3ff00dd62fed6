import { tokenise } from './tokenise.ts';

const ENGLISH =
  'how what when where why who whom which whose much many long far often does do did done is are was were be been being am has have had having can could should would will may might must shall the a an and or of in on at to for from by with about into than then there their its it this that these those not no yes as if so but only also very between during before after over under per each any all some most more less other such along across through around within without among against until upon toward towards beside beyond since because while whereas although though via both several every first second last new old just even still already however therefore thus here made make makes making say says said see seen get gets got use uses used using give gives given take takes taken one name named called kind type i you he she we they me my your his her our us them tell explain describe find';
const GERMAN =
  'der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren wird werden wurde wurden worden hat haben hatte hatten kann können konnte konnten wie was wann wo warum wer wem wen welche welcher welches welchen welchem wieviel wie viele viel im in am an auf aus bei mit nach seit von vom zu zum zur für über unter durch gegen ohne um als auch nicht noch nur so es er sie wir ihr man sich dass ob wenn weil da dort hier dieser diese dieses diesem diesen sein seine seiner seinen ihre ihrer ihren gibt gab lange oft mehr sehr heißt hieß nennt genannt';
const SPANISH =
  'el la los las lo un una unos unas y o pero es son era eran fue fueron ser está están ha han había que qué quién quiénes cuál cuáles cuándo cómo dónde cuánto cuántos cuánta cuántas por para con sin de del al en se su sus le les como más menos muy ya no si sobre entre desde hasta este esta estos estas ese esa eso aquel hay tiene tienen tuvo cual quien cuando donde porque también llama llamaba';
const FRENCH =
  'le la les un une des du de et ou mais est sont était étaient être a ont avait que qui quoi quel quelle quels quelles quand comment où pourquoi combien par pour avec sans sur sous dans entre depuis ce cette ces il elle ils elles on se sa son ses leur leurs ne pas plus très aussi';
const ITALIAN_PORTUGUESE =
  'il lo gli uno una di da nel nella del della dei degli delle che chi cosa quale quali quando come dove perché quanto quanti è sono era erano stato stata ha hanno per con non più o os as um uma do dos das no na nos nas ao pelo pela qual quais onde quem quantos quanta foi foram são está com para';
/** The most frequent words of questions and sentences in languages without a list of their own: ar, ru, el, tr, hi, vi, ro. */
const OTHERS =
  'ما ماذا من متى أين كم كيف لماذا هل أي هو هي هم كان كانت في على إلى عن مع التي الذي الذين هذا هذه ذلك تم أن إن لا لم قد بعد قبل بين عند كل أو و عدد اسم ' +
  'что кто кого кем когда где куда как какой какая какое какие каком какую сколько почему чем чего был была было были и в на с по из к о об от для до за при не это его её их он она они который которая которые ' +
  'τι ποιος ποια ποιο ποιοι ποιες πότε πού πώς πόσο πόσα πόσοι γιατί ο η το οι τα του της των τον την τους τις στο στη στην στον στα και με για από σε που να θα είναι ήταν έχει είχε ένα μια ένας ως δεν ' +
  'ne kim kimi kimin nerede nereye nasıl neden niçin hangi kaç zaman bir ve ile için de da bu şu o olan olarak olduğu oldu idi mi mı gibi daha çok en sonra önce kadar ' +
  'क्या कौन किस किसने किसे कब कहाँ कैसे क्यों कितने कितनी कितना का की के को में से पर ने है हैं था थी थे और या यह वह इस उस एक जो कि भी लिए द्वारा साथ करने किया गया हुआ ' +
  'là của và các có được trong cho với những một nào gì ai đã đâu khi bao nhiêu như thế tại từ bởi vì này đó không ở ra vào về cái người ' +
  'ce cine când unde cum de cât câte câți care cui pe în la și a al ai ale cu din pentru este sunt era erau fost un o să se nu că lui';

const setOf = (...lists: string[]): Set<string> => new Set(tokenise(lists.join(' ')));
let all: Set<string> | undefined;
let english: Set<string> | undefined;

/** True for function words: they hold a question together and say nothing about its subject. */
export const isStopWord = (term: string): boolean =>
  (all ??= setOf(ENGLISH, GERMAN, SPANISH, FRENCH, ITALIAN_PORTUGUESE, OTHERS)).has(term);

/** True for those of English: `cat`, `die` and `war` are function words elsewhere. */
export const isEnglishStopWord = (term: string): boolean => (english ??= setOf(ENGLISH)).has(term);

/** Question words of Chinese and Japanese. */
export const ASKING_WORDS =
  /什么|甚么|什麼|多少|哪里|哪裡|哪个|哪些|哪一|哪年|哪|如何|怎么|怎样|为什么|为何|谁|誰|何时|几(?![何乎])|是否|时候|吗|呢|(?<![幾几])何|どこ|いつ|なに|どの|どう|なぜ|いくつ|いくら/g;

/** Particles that join words in Japanese or Chinese text: a pair of characters across one is not a word. */
export const JOINING_CHARACTERS = /[\p{Script=Hiragana}的了是在和与於于或被把这那其之及着个們们很]+/gu;
