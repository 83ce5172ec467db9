// What an export's mapping promises of phrases, tried on Lucene itself, which Elasticsearch, OpenSearch and Solr stand on.
//
//     java -cp JARS:CLASSES GapCheck mapping.json bulk-00001.ndjson
//
// Each document of the bulk file is indexed as Elasticsearch does it: the standard analyzer with the mapping's gap, one
// TextField for each value of an array. Then, for values that stand behind each other: the last words of the first are a
// phrase; the last word of the first and the first of the second are none with slop 0, 500 and 999, and are one with a slop
// that reaches over the gap, without which the check would prove nothing. Exit 1 where this does not hold.
//
// Only such pairs are asked for of which the document says the words once in the field: else another place could answer.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.AnalyzerWrapper;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

public final class GapCheck {
    /** The standard analyzer, with the gap that the mapping gives a field. */
    static final class Gapped extends AnalyzerWrapper {
        private final Analyzer standard = new StandardAnalyzer();
        private final Map<String, Integer> gaps;

        Gapped(Map<String, Integer> gaps) {
            super(PER_FIELD_REUSE_STRATEGY);
            this.gaps = gaps;
        }

        @Override
        protected Analyzer getWrappedAnalyzer(String field) {
            return standard;
        }

        @Override
        public int getPositionIncrementGap(String field) {
            return gaps.get(field);
        }
    }

    private final Map<String, Integer> gaps = new LinkedHashMap<>();
    private final Analyzer analyzer = new Gapped(gaps);
    private final ByteBuffersDirectory directory = new ByteBuffersDirectory();
    private final List<Map<String, Object>> pages = new ArrayList<>();
    private IndexSearcher searcher;
    private int inside;
    private int across;
    private int wrong;

    public static void main(String[] arguments) throws IOException {
        GapCheck check = new GapCheck();
        check.read(arguments[0], arguments[1]);
        check.index();
        check.check();
        System.out.printf("%d pages, fields %s: %d phrases found, %d boundaries that slops of 0, 500 and 999 do not cross%n",
            check.pages.size(), check.gaps, check.inside, check.across);
        if (check.wrong > 0 || check.inside == 0 || check.across == 0) {
            System.out.println(check.wrong + " wrong answers; none was to be expected, and some phrases and boundaries");
            System.exit(1);
        }
    }

    private void read(String mapping, String bulk) throws IOException {
        Map<?, ?> properties = object(object(Json.parse(text(mapping)).get("mappings")).get("properties"));
        for (Map.Entry<?, ?> property : properties.entrySet()) {
            Object gap = object(property.getValue()).get("position_increment_gap");
            if (gap != null) {
                gaps.put((String) property.getKey(), ((Double) gap).intValue());
            }
        }
        boolean isDocument = false;
        for (String line : text(bulk).split("\n")) {
            Map<String, Object> object = Json.parse(line);
            if (isDocument) {
                pages.add(object);
            }
            isDocument = !isDocument && object.containsKey("index");
        }
    }

    private void index() throws IOException {
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
            for (Map<String, Object> page : pages) {
                Document document = new Document();
                document.add(new StringField("url", (String) page.get("url"), Field.Store.NO));
                for (String field : gaps.keySet()) {
                    for (String value : values(page, field)) {
                        document.add(new TextField(field, value, Field.Store.NO));
                    }
                }
                writer.addDocument(document);
            }
        }
        searcher = new IndexSearcher(DirectoryReader.open(directory));
    }

    private void check() throws IOException {
        for (Map<String, Object> page : pages) {
            for (Map.Entry<String, Integer> field : gaps.entrySet()) {
                List<List<String>> phrases = new ArrayList<>();
                List<String> all = new ArrayList<>();
                for (String value : values(page, field.getKey())) {
                    List<String> words = words(value);
                    if (!words.isEmpty()) {
                        phrases.add(words);
                        all.addAll(words);
                    }
                }
                for (int i = 0; i + 1 < phrases.size(); i++) {
                    pair(page, field.getKey(), field.getValue(), phrases.get(i), phrases.get(i + 1), all);
                }
            }
        }
    }

    private void pair(Map<String, Object> page, String field, int gap, List<String> one, List<String> other, List<String> all)
        throws IOException {
        String last = one.get(one.size() - 1);
        String first = other.get(0);
        if (Collections.frequency(all, last) > 1 || Collections.frequency(all, first) > 1) {
            return;
        }
        if (one.size() > 1) {
            inside++;
            expect(true, page, field, one.get(one.size() - 2), last, 0);
        }
        across++;
        for (int slop : new int[] {0, 500, 999}) {
            expect(false, page, field, last, first, slop);
        }
        expect(true, page, field, last, first, gap);
    }

    private void expect(boolean expected, Map<String, Object> page, String field, String one, String other, int slop)
        throws IOException {
        BooleanQuery query = new BooleanQuery.Builder()
            .add(new TermQuery(new Term("url", (String) page.get("url"))), BooleanClause.Occur.FILTER)
            .add(new PhraseQuery(slop, field, one, other), BooleanClause.Occur.MUST)
            .build();
        if (searcher.count(query) > 0 != expected) {
            wrong++;
            System.out.printf("%s %s: \"%s %s\"~%d is %sfound%n", page.get("url"), field, one, other, slop, expected ? "not " : "");
        }
    }

    private List<String> words(String text) throws IOException {
        List<String> words = new ArrayList<>();
        try (TokenStream stream = new StandardAnalyzer().tokenStream("", text)) {
            CharTermAttribute word = stream.addAttribute(CharTermAttribute.class);
            stream.reset();
            while (stream.incrementToken()) {
                words.add(word.toString());
            }
        }
        return words;
    }

    private static List<String> values(Map<String, Object> page, String field) {
        List<String> values = new ArrayList<>();
        if (page.get(field) instanceof List) {
            for (Object value : (List<?>) page.get(field)) {
                values.add((String) value);
            }
        }
        return values;
    }

    private static String text(String path) throws IOException {
        return new String(Files.readAllBytes(Paths.get(path)), "UTF-8");
    }

    private static Map<?, ?> object(Object value) {
        return (Map<?, ?>) value;
    }

    /** As much of JSON as there is, by RFC 8259; trouble is an exception. */
    static final class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        @SuppressWarnings("unchecked")
        static Map<String, Object> parse(String text) {
            Json json = new Json(text);
            Object value = json.value();
            if (json.peek() != 0) {
                throw new IllegalArgumentException("more than one value");
            }
            return (Map<String, Object>) value;
        }

        /** The next character that is no white space; 0 at the end. */
        private char peek() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return at < text.length() ? text.charAt(at) : 0;
        }

        private boolean takes(char c) {
            boolean is = peek() == c;
            at += is ? 1 : 0;
            return is;
        }

        private void want(char c) {
            if (!takes(c)) {
                throw new IllegalArgumentException("no " + c + " at " + at);
            }
        }

        private Object value() {
            switch (peek()) {
                case '{': return members();
                case '[': return elements();
                case '"': return string();
                default: return word();
            }
        }

        private Map<String, Object> members() {
            Map<String, Object> members = new LinkedHashMap<>();
            want('{');
            while (!takes('}')) {
                if (!members.isEmpty()) {
                    want(',');
                }
                peek();
                String name = string();
                want(':');
                if (members.put(name, value()) != null) {
                    throw new IllegalArgumentException(name + " twice");
                }
            }
            return members;
        }

        private List<Object> elements() {
            List<Object> elements = new ArrayList<>();
            want('[');
            while (!takes(']')) {
                if (!elements.isEmpty()) {
                    want(',');
                }
                elements.add(value());
            }
            return elements;
        }

        private String string() {
            want('"');
            StringBuilder string = new StringBuilder();
            while (text.charAt(at) != '"') {
                char c = text.charAt(at++);
                string.append(c == '\\' ? escaped() : c);
            }
            at++;
            return string.toString();
        }

        private char escaped() {
            char c = text.charAt(at++);
            if (c == 'u') {
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            int known = "bfnrt".indexOf(c);
            return known < 0 ? c : "\b\f\n\r\t".charAt(known);
        }

        private Object word() {
            int start = at;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(start, at);
            switch (word) {
                case "true": return true;
                case "false": return false;
                case "null": return "null";
                default: return Double.valueOf(word);
            }
        }
    }
}
