import json, sys

parts = []
for i in range(120000):
    parts.append('{"id":' + str(i) + ',"name":"item number ' + str(i) + '","price":' + str(i / 8.0) + ',"tags":["red","green","a \\"quoted\\" one"]}')
text = '{"items":[' + ",".join(parts) + "]}"
for r in range(int(sys.argv[1])):
    everything = json.loads(text)
    print(len(text), len(everything["items"]), everything["items"][119999]["name"])
